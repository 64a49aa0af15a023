// The descriptions that openapi.cc puts together: what every job has, and what each job adds.
#include "control/openapi.h"

namespace wherry::control {

std::string_view openapi_common_text() {
  return R"json({
  "openapi": "3.0.3",
  "info": {"title": "Wherry", "version": "1"},
  "paths": {
    "/healthz": {"get": {"summary": "Whether the program answers",
      "responses": {"200": {"description": "ok"}}}},
    "/metrics": {"get": {"summary": "Prometheus text, prefix wherry_",
      "responses": {"200": {"description": "metrics", "content": {"text/plain": {}}}}}},
    "/api/v1/openapi.json": {"get": {"summary": "This document",
      "responses": {"200": {"description": "OpenAPI 3.0"}}}}
  },
  "components": {
    "responses": {
      "Error": {"description": "It was not done", "content": {"application/json": {"schema": {
        "type": "object", "properties": {
          "error": {"type": "object", "properties": {"code": {"type": "string"},
            "message": {"type": "string"}, "hint": {"type": "string"}}}}}}}}
    },
    "schemas": {
      "Position": {"type": "object", "nullable": true, "properties": {
        "file": {"type": "string"}, "offset": {"type": "integer"}, "gtid": {"type": "string"}}}
    }
  }
}
)json";
}

std::string_view openapi_copy_text() {
  return R"json({
  "info": {"description": "Steers and watches a running copy. Reached from this machine only."},
  "paths": {
    "/api/v1/status": {"get": {"summary": "The program and, in short, its job",
      "responses": {"200": {"description": "status", "content": {"application/json": {"schema": {
        "type": "object", "properties": {
          "version": {"type": "string"}, "job": {"type": "string", "enum": ["copy"]},
          "started": {"type": "string", "format": "date-time", "nullable": true},
          "copy": {"$ref": "#/components/schemas/Progress"}}}}}}}}},
    "/api/v1/copy": {"get": {"summary": "All that is known of the copy, tables included",
      "responses": {"200": {"description": "status", "content": {"application/json": {"schema":
        {"$ref": "#/components/schemas/Copy"}}}}}}},
    "/api/v1/events": {"get": {"summary": "Server-sent events: a Progress every second, named status",
      "responses": {"200": {"description": "stream", "content": {"text/event-stream": {}}},
        "503": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/copy/pause": {"post": {"summary": "Stop reading and writing until resumed",
      "responses": {"202": {"$ref": "#/components/responses/Accepted"},
        "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/copy/resume": {"post": {"summary": "Go on after a pause",
      "responses": {"202": {"$ref": "#/components/responses/Accepted"},
        "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/copy/cutover": {"post": {"summary": "Cut over as soon as the changes are caught up",
      "responses": {"202": {"$ref": "#/components/responses/Accepted"},
        "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/copy/stop": {"post": {"summary": "End the run so that --resume can go on with it",
      "responses": {"202": {"$ref": "#/components/responses/Accepted"},
        "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/copy/failover": {"post": {"summary": "Go on from another server with the same history",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {
        "type": "object", "required": ["endpoint"], "additionalProperties": false, "properties": {
          "endpoint": {"type": "string", "description": "mysql://user:password@host:port/"}}}}}},
      "responses": {"202": {"$ref": "#/components/responses/Accepted"},
        "400": {"$ref": "#/components/responses/Error"},
        "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/copy/settings": {"patch": {"summary": "Change settings of the running copy",
      "requestBody": {"required": true, "content": {"application/json": {"schema":
        {"$ref": "#/components/schemas/Settings"}}}},
      "responses": {"202": {"$ref": "#/components/responses/Accepted"},
        "400": {"$ref": "#/components/responses/Error"},
        "409": {"$ref": "#/components/responses/Error"}}}}
  },
  "components": {
    "responses": {
      "Accepted": {"description": "It will be done", "content": {"application/json": {"schema": {
        "type": "object", "properties": {"accepted": {"type": "string"},
          "state": {"$ref": "#/components/schemas/State"}}}}}},
      "Error": {"content": {"application/json": {"schema": {"properties": {
        "state": {"$ref": "#/components/schemas/State"}}}}}}
    },
    "schemas": {
      "State": {"type": "string", "enum": ["starting", "copying", "catching-up", "waiting-for-cutover",
        "cutover", "verifying", "done", "paused", "failed", "interrupted"]},
      "Settings": {"type": "object", "additionalProperties": false, "properties": {
        "chunk-rows": {"type": "integer", "minimum": 1},
        "rate": {"type": "string", "nullable": true, "example": "50MiB"},
        "max-lag": {"type": "string", "example": "2s"},
        "readers": {"type": "integer", "minimum": 1}, "lanes": {"type": "integer", "minimum": 1}}},
      "Progress": {"type": "object", "properties": {
        "state": {"$ref": "#/components/schemas/State"},
        "time": {"type": "string", "format": "date-time", "nullable": true},
        "rows_copied": {"type": "integer"}, "rows_estimate": {"type": "integer"},
        "bytes_copied": {"type": "integer"}, "rows_verified": {"type": "integer"},
        "rows_per_second": {"type": "number"}, "bytes_per_second": {"type": "number"},
        "transactions_applied": {"type": "integer"}, "changes_applied": {"type": "integer"},
        "lag_ms": {"type": "integer"}, "eta_seconds": {"type": "integer", "nullable": true},
        "waiting_for": {"type": "string", "nullable": true},
        "error": {"type": "object", "nullable": true, "properties": {"code": {"type": "string"},
          "message": {"type": "string"}, "server_code": {"type": "integer"}}}}},
      "Table": {"type": "object", "properties": {
        "name": {"type": "string"}, "target_name": {"type": "string"}, "copied": {"type": "boolean"},
        "rows_estimate": {"type": "integer"}, "rows_copied": {"type": "integer"},
        "bytes_copied": {"type": "integer"}, "changes_applied": {"type": "integer"},
        "rows_verified": {"type": "integer"}, "differences": {"type": "integer"},
        "verified": {"type": "string"}}},
      "Copy": {"allOf": [{"$ref": "#/components/schemas/Progress"}, {"type": "object", "properties": {
        "resumable": {"type": "boolean"},
        "started": {"type": "string", "format": "date-time", "nullable": true},
        "positions": {"type": "object", "properties": {
          "start": {"$ref": "#/components/schemas/Position"},
          "current": {"$ref": "#/components/schemas/Position"},
          "stop": {"$ref": "#/components/schemas/Position"}}},
        "source_generation": {"type": "integer"}, "source_fenced": {"type": "boolean"},
        "downtime_ms": {"type": "integer", "nullable": true},
        "phase_seconds": {"type": "object", "additionalProperties": {"type": "number"}},
        "ignored": {"type": "object", "additionalProperties": {"type": "integer"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "tables": {"type": "array", "items": {"$ref": "#/components/schemas/Table"}},
        "differences": {"type": "array", "items": {"type": "object", "properties": {
          "table": {"type": "string"}, "key": {"type": "string"}, "kind": {"type": "string"},
          "columns": {"type": "array", "items": {"type": "string"}}}}}}}]}
    }
  }
}
)json";
}

std::string_view openapi_feeds_text() {
  return R"json({
  "info": {"description": "Steers and watches the feeds of a server. Reached from this machine only."},
  "paths": {
    "/api/v1/status": {"get": {"summary": "The program and, in short, its feeds",
      "responses": {"200": {"description": "status", "content": {"application/json": {"schema": {
        "allOf": [{"type": "object", "properties": {
          "version": {"type": "string"}, "job": {"type": "string", "enum": ["serve"]},
          "started": {"type": "string", "format": "date-time"}}},
          {"$ref": "#/components/schemas/Fleet"}]}}}}}}},
    "/api/v1/events": {"get": {"summary": "Server-sent events: a Fleet at once and every second, named status; a StateChange for each, named state; removed; lost, with how many events a slow reader missed",
      "responses": {"200": {"description": "stream", "content": {"text/event-stream": {}}},
        "503": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/feeds": {
      "get": {"summary": "All feeds, with their keys",
        "responses": {"200": {"description": "feeds", "content": {"application/json": {"schema": {
          "type": "object", "properties": {"feeds": {"type": "array",
            "items": {"$ref": "#/components/schemas/Feed"}}}}}}}}},
      "post": {"summary": "Make a feed; it starts at once",
        "requestBody": {"required": true, "content": {"application/json": {"schema":
          {"$ref": "#/components/schemas/FeedConfig"}}}},
        "responses": {"201": {"$ref": "#/components/responses/Feed"},
          "400": {"$ref": "#/components/responses/Error"},
          "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/feeds/{name}": {
      "parameters": [{"$ref": "#/components/parameters/name"}],
      "get": {"summary": "One feed, with its keys",
        "responses": {"200": {"$ref": "#/components/responses/Feed"},
          "404": {"$ref": "#/components/responses/Error"}}},
      "patch": {"summary": "Change keys; null takes one back to its default. Most need a feed that is stopped",
        "requestBody": {"required": true, "content": {"application/json": {"schema":
          {"$ref": "#/components/schemas/FeedConfig"}}}},
        "responses": {"200": {"$ref": "#/components/responses/Feed"},
          "400": {"$ref": "#/components/responses/Error"},
          "404": {"$ref": "#/components/responses/Error"},
          "409": {"$ref": "#/components/responses/Error"}}},
      "delete": {"summary": "Stop the feed and forget it; it is gone when asking for it answers 404",
        "responses": {"202": {"$ref": "#/components/responses/Accepted"},
          "404": {"$ref": "#/components/responses/Error"},
          "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/feeds/{name}/pause": {
      "parameters": [{"$ref": "#/components/parameters/name"}],
      "post": {"summary": "Stop the feed until it is resumed",
        "responses": {"202": {"$ref": "#/components/responses/Accepted"},
          "404": {"$ref": "#/components/responses/Error"},
          "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/feeds/{name}/resume": {
      "parameters": [{"$ref": "#/components/parameters/name"}],
      "post": {"summary": "Go on: after a pause, after a failure, or with a retry at once",
        "responses": {"202": {"$ref": "#/components/responses/Accepted"},
          "404": {"$ref": "#/components/responses/Error"},
          "409": {"$ref": "#/components/responses/Error"}}}},
    "/api/v1/feeds/{name}/syncpoint": {
      "parameters": [{"$ref": "#/components/parameters/name"}],
      "post": {"summary": "Record a consistent pair of positions soon",
        "responses": {"202": {"$ref": "#/components/responses/Accepted"},
          "501": {"$ref": "#/components/responses/Error"},
          "404": {"$ref": "#/components/responses/Error"},
          "409": {"$ref": "#/components/responses/Error"}}}}
  },
  "components": {
    "parameters": {"name": {"name": "name", "in": "path", "required": true,
      "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}}},
    "responses": {
      "Accepted": {"description": "It will be done", "content": {"application/json": {"schema": {
        "type": "object", "properties": {"accepted": {"type": "string"}, "name": {"type": "string"},
          "state": {"$ref": "#/components/schemas/State"}}}}}},
      "Feed": {"description": "The feed", "content": {"application/json": {"schema":
        {"$ref": "#/components/schemas/Feed"}}}}
    },
    "schemas": {
      "State": {"type": "string", "nullable": true,
        "enum": ["normal", "warning", "failed", "stopped", "finished"]},
      "FeedError": {"type": "object", "nullable": true, "properties": {"code": {"type": "string"},
        "message": {"type": "string"}, "server_code": {"type": "integer"}}},
      "StateChange": {"type": "object", "properties": {"feed": {"type": "string"},
        "from": {"$ref": "#/components/schemas/State"}, "state": {"$ref": "#/components/schemas/State"},
        "time": {"type": "string", "format": "date-time"},
        "error": {"$ref": "#/components/schemas/FeedError"}}},
      "FeedProgress": {"type": "object", "properties": {
        "name": {"type": "string"}, "state": {"$ref": "#/components/schemas/State"},
        "wanted": {"type": "string", "enum": ["running", "paused", "removed"]},
        "running": {"type": "boolean"},
        "checkpoint": {"type": "object", "nullable": true, "properties": {
          "cseq": {"type": "integer"}, "position": {"$ref": "#/components/schemas/Position"},
          "commit_time": {"type": "string", "format": "date-time", "nullable": true}}},
        "lag_ms": {"type": "integer", "nullable": true},
        "copied": {"type": "boolean", "nullable": true}, "rows_copied": {"type": "integer"},
        "transactions": {"type": "integer"}, "changes": {"type": "integer"}, "filtered": {"type": "integer"},
        "waiting_for": {"type": "string", "nullable": true},
        "stalled": {"type": "object", "nullable": true, "properties": {
          "since": {"type": "string", "format": "date-time"}, "reason": {"type": "string"}}},
        "error": {"$ref": "#/components/schemas/FeedError"}, "retries": {"type": "integer"},
        "retry_at": {"type": "string", "format": "date-time", "nullable": true}}},
      "Fleet": {"type": "object", "properties": {
        "states": {"type": "object", "additionalProperties": {"type": "integer"}},
        "feeds": {"type": "array", "items": {"$ref": "#/components/schemas/FeedProgress"}}}},
      "Feed": {"allOf": [{"$ref": "#/components/schemas/FeedProgress"}, {"type": "object", "properties": {
        "ignored": {"type": "object", "additionalProperties": {"type": "integer"}},
        "gauges": {"type": "object", "additionalProperties": {"type": "number"}},
        "created": {"type": "string", "format": "date-time"},
        "changed": {"type": "string", "format": "date-time"},
        "config": {"$ref": "#/components/schemas/FeedConfig"}}}]}
    }
  }
}
)json";
}

}  // namespace wherry::control
