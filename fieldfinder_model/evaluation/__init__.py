"""How well locators find fields: measured on pages whose fields are known (FormGym, section FieldFinder)."""
