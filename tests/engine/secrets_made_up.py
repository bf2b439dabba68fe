"""Made-up secrets, put together when a test runs, so that none stands in the repository."""

import string

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + "234567"


def key(length: int, letters: str = ALNUM, step: int = 7) -> str:
    """Letters and digits in an order that looks drawn by lot."""
    return "".join(letters[(step * at + 3) % len(letters)] for at in range(length))


PEM = "PRIVATE " + "KEY-----"
# kind -> secrets of that kind
SECRETS: dict[str, list[str]] = {
    "openai_key": ["sk-" + key(48), "sk-" + "proj-" + key(60), "sk-" + "svcacct-" + key(40), "sk-" + "admin-" + key(40)],
    "anthropic_key": ["sk-" + "ant-api03-" + key(80), "sk-" + "ant-" + key(40)],
    "stripe_key": ["sk_" + "live_" + key(24), "rk_" + "test_" + key(24), "pk_" + "live_" + key(30)],
    "github_token": [*(f"gh{letter}_" + key(36) for letter in "pousr"), "github" + "_pat_" + key(60)],
    "gitlab_token": ["glpat-" + key(20), "glpat-" + key(26, ALNUM + "_-")],
    "slack_token": [f"xox{letter}-" + key(30) for letter in "abprs"],
    "slack_webhook": ["hooks.slack" + ".com/services/T" + key(8, UPPER) + "/B" + key(8, UPPER) + "/" + key(24)],
    "aws_key": ["AKIA" + key(16, UPPER), "ASIA" + key(16, UPPER)],
    "google_key": ["AIza" + key(35), "AIza" + key(35, ALNUM + "-_", 11)],
    "google_oauth": ["ya29." + key(40), "GOCSPX-" + key(28)],
    "huggingface_token": ["hf" + "_" + key(34)],
    "npm_token": ["npm" + "_" + key(36)],
    "pypi_token": ["pypi-" + key(60)],
    "sendgrid_key": ["SG." + key(22) + "." + key(43)],
    "twilio_key": ["SK" + key(32, "0123456789abcdef")],
    "jwt": ["eyJ" + key(20) + ".eyJ" + key(40) + "." + key(40)],
    "private_key": [
        f"-----BEGIN {kind}{PEM}\n{key(64)}\n{key(64)}\n-----END {kind}{PEM}" for kind in ("", "RSA ", "EC ", "OPENSSH ")
    ] + [f"-----BEGIN OPENSSH {PEM}\n{key(64)}"],
    "bearer_token": ["Authorization: Bearer " + key(40), "bearer " + key(30) + ".x1", "BEARER  " + key(24) + "=="],
    "basic_auth": ["Authorization: Basic " + key(23) + "="],
    "url_password": ["postgres://ada:" + key(12) + "@db.example/x", "https://user:" + key(16) + "@host/path",
                     "redis://:x@h, mongodb+srv://a:" + key(10) + "@h"],
    "assignment": [
        "password = " + key(14), "PASSWORD: '" + key(12) + "'", 'api_key="' + key(24) + '"', "apikey: " + key(24),
        "client_secret: " + key(24), '"token": "' + key(24) + '"', "export DB_PASSWORD=" + key(16), "secret_key := " + key(20),
        "passphrase: " + key(20), "access_token=" + key(30), "auth-token: " + key(30), "refresh_token: " + key(30),
        "passwd=" + key(10), "pwd: " + key(9), "api-key => " + key(20), "private_key: " + key(30), "session_token=" + key(22),
        "AWS_SECRET_ACCESS_KEY=" + key(40, ALNUM + "/+"), "API KEY: " + key(24), "secret: `" + key(16) + "`",
    ],
}  # fmt: skip
EVERY = [(kind, secret) for kind, secrets in SECRETS.items() for secret in secrets]
