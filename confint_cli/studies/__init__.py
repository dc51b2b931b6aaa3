"""One file here a question that users ask; `…_view.py` beside it is how people read the answer."""
