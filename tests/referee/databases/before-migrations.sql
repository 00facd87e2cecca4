BEGIN TRANSACTION;
CREATE TABLE events (
	game VARCHAR(100) NOT NULL,
	version INTEGER NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (game, version)
);
INSERT INTO "events" VALUES('Stolik 1 – ''Łódź''',1,'{"type": "GameStarted", "v": 1, "players": ["Ala", "Bo", "Cy"], "rules": "international", "fingerprint": "d294fba5245f", "box": 106, "clockwise": true, "program": "0.1.0", "models": "none"}');
INSERT INTO "events" VALUES('Stolik 1 – ''Łódź''',2,'{"type": "StarterDrawn", "v": 1, "seats": [0, 1, 2], "tiles": ["R13", "B13", "K5"], "starter": null, "again": [0, 1]}');
INSERT INTO "events" VALUES('Stolik 1 – ''Łódź''',3,'{"type": "StarterDrawn", "v": 1, "seats": [0, 1], "tiles": ["R4", "B9"], "starter": 1, "again": []}');
INSERT INTO "events" VALUES('Stolik 1 – ''Łódź''',4,'{"type": "Dealt", "v": 1, "counts": [14, 14, 14]}');
INSERT INTO "events" VALUES('Stolik 1 – ''Łódź''',5,'{"type": "TurnEnded", "v": 1, "seats": [1], "how": "played", "shown": "R9 R10 R11", "after": "R9 R10 R11", "verdict": "legal", "machine": "legal", "by": "machine", "codes": [], "played": 3, "drew": 0, "took": 0, "to_pool": 0, "points": 0, "opened": true, "opening": 30, "overrun": false, "elapsed_s": 31.5, "reserve_s": null}');
INSERT INTO "events" VALUES('table 2',1,'{"type": "GameStarted", "v": 1, "players": ["Ala", "Bo", "Cy"], "rules": "international", "fingerprint": "d294fba5245f", "box": 106, "clockwise": true, "program": "0.1.0", "models": "none"}');
INSERT INTO "events" VALUES('table 2',2,'{"type": "StarterDrawn", "v": 1, "seats": [0, 1, 2], "tiles": ["R13", "B13", "K5"], "starter": null, "again": [0, 1]}');
INSERT INTO "events" VALUES('table 2',3,'{"type": "StarterDrawn", "v": 1, "seats": [0, 1], "tiles": ["R4", "B9"], "starter": 1, "again": []}');
COMMIT;
