"""The languages of the dashboard: every sentence that its pages may say is gathered from the code, and what becomes of
them in the catalogues is kept in step.

``python -m tests.languages update`` brings the catalogues up to date, ``check`` says what they lack.
"""
