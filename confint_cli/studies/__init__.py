"""One file here a question that users ask; `…_view.py` beside it says how people read the answer."""
