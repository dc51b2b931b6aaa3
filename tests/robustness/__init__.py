"""What strangers' files and faults get."""

import pytest

pytest.register_assert_rewrite(f"{__name__}.checking", f"{__name__}.readers")
