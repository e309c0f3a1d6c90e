"""The bundled demo agent: a real ACP v2 agent over stdio, without a model, a key or a network.

Start it with ``python -m acp_widget.demo``. It uses the standard library only, and nothing else of acp_widget.
In an empty folder it creates a small project with a failing test, and fixes it when asked to. Its commands: `scenes`.

``ACP_WIDGET_DEMO_PACE`` scales every pause it makes for the reader's sake: 1 is normal, 0 is as fast as it goes.
"""
