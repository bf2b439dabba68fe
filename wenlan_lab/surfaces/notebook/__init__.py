"""`%wenlan` and `%%wenlan`: one magic, many commands. IPython's own `%%capture` and `%recall` stay what they are."""
