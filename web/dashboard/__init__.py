"""The dashboard: the referee's desk, the players' phones, the spectators' screen, and the same for other programs.

``running`` is one live table on a thread of its own, which publishes what everybody may read without waiting for the
eyes; ``camera_run`` drives it with a camera, ``demo`` with a simulated game; ``hall`` keeps all tables of this process.
``view_json`` and ``act_json`` say how views, notices and acts look as JSON, ``api`` and ``pages`` answer requests,
``access`` says who may do what, ``app`` joins it all into one Flask application and ``server`` puts that on a port.
"""
