"""formgym: paperwork as Gymnasium environments. Importing it registers them."""

__version__ = "0.8.0"

# pytest imports this file a second time under the name of the checkout's folder.
if __name__ == "formgym":
    from .envs.registration import register_all

    register_all()
