"""Panels for a notebook: pure view states, and the widgets that draw them."""
