"""Writes down every key of a Redis, one JSON value a line, for the fixtures of the tests: `python record.py <address>`."""

import base64
import json
import sys

import redis

client = redis.Redis.from_url(sys.argv[1])


def text(value):
    return base64.b64encode(value).decode()


for key in sorted(client.scan_iter()):
    kind = client.type(key).decode()
    read = {
        "string": lambda: text(client.get(key)),
        "list": lambda: [text(item) for item in client.lrange(key, 0, -1)],
        "set": lambda: sorted(text(item) for item in client.smembers(key)),
        "hash": lambda: [[name.decode(), text(value)] for name, value in sorted(client.hgetall(key).items())],
        "zset": lambda: [[text(item), repr(score)] for item, score in client.zrange(key, 0, -1, withscores=True)],
    }
    if kind in read:
        entry = {"key": key.decode(), "type": kind, "pttl_ms": client.pttl(key), "value": read[kind]()}
        print(json.dumps(entry))
