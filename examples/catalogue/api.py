"""A client for the calls of Manybase's REST API that the example makes; one keep-alive connection per thread."""

import http.client
import json
import threading
import urllib.parse


class Refused(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status = status
        self.body = body


class Api:
    def __init__(self, url, token=None):
        self.address = urllib.parse.urlsplit(url).netloc
        self.url = url
        self.token = token
        self._local = threading.local()

    def with_token(self, token):
        return Api(self.url, token)

    def call(self, method, path, body=None, headers=None):
        """Returns the decoded response, None without a body; raises Refused for a status of 400 or above."""
        sent = dict(headers or {})
        if body is not None:
            sent["content-type"] = "application/json"
        if self.token:
            sent["authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        for attempt in (1, 2):
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = http.client.HTTPConnection(self.address, timeout=60)
            try:
                connection.request(method, "/api/v1" + path, data, sent)
                response = connection.getresponse()
                text = response.read()
                break
            except (http.client.HTTPException, ConnectionError):
                connection.close()
                self._local.connection = None
                if attempt == 2:
                    raise
        decoded = json.loads(text) if text else None
        if response.status >= 400:
            raise Refused(response.status, decoded)
        return decoded

    def list(self, collection, filter=None, limit=1000, skip=0, expand=None):
        query = {"limit": limit, "skip": skip}
        if filter is not None:
            query["filter"] = json.dumps(filter)
        if expand:
            query["expand"] = expand
        return self.call("GET", f"/{collection}?{urllib.parse.urlencode(query)}")["documents"]

    def list_all(self, collection, filter=None):
        """Returns all matching documents, fetched page by page."""
        found = []
        while True:
            page = self.list(collection, filter, 1000, len(found))
            found += page
            if len(page) < 1000:
                return found
