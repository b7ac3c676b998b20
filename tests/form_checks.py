"""What must hold of the fields of every form, of whatever kind."""


def assert_apart(fields):
    """No box reaches into another."""
    for i, field in enumerate(fields):
        left, top, right, bottom = field.box
        for other in fields[i + 1 :]:
            apart = other.box[0] >= right or other.box[2] <= left or other.box[1] >= bottom or other.box[3] <= top
            assert apart, f"{field.name} overlaps {other.name}"
