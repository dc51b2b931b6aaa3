"""Each file answers a question that users ask; `…_view.py` beside it shows the answer to people."""
