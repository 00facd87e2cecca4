"""A disputed table: a photo from any phone, the camera's reading of it, what people say of that, the ruling on both.

``edits`` are what a person says, one a tap (``edit_json`` reads them); ``corrected`` puts them over the camera's
reading, which stays as it was; ``case`` is the whole of one dispute and rules on it as ``tileref check`` does;
``case_file`` writes it down, ``case_json`` shows it.  ``shelf`` keeps cases in the data folder, ``photo`` makes the
picture that is kept, ``waiting`` looks at photos one after another; ``clerk`` is the door for pages.
"""
