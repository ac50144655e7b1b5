"""A read-only VFS: reads pages of a database by HTTP range requests, without fetching the file.

    minisql.register_vfs(HttpVfs("http://127.0.0.1:8000"))
    minisql.connect("file:/data.db?vfs=http&mode=ro", uri=True)
"""

import http.client
import os
import time
from urllib.parse import urlsplit

import minisql


class HttpFile:
    """One file of the server.  There is nobody to lock out, and nothing can be written."""

    read_only = True

    def __init__(self, connection, path):
        self.connection = connection
        self.path = path
        self.n_bytes = int(self.request("HEAD", {}).getheader("Content-Length"))

    def request(self, method, headers):
        self.connection.request(method, self.path, headers=headers)
        response = self.connection.getresponse()
        if response.status not in (200, 206):
            self.connection.close()
            raise minisql.OperationalError("unable to open database file")
        if method == "HEAD":
            response.read()
        return response

    def read(self, size, offset):
        end = min(offset + size, self.n_bytes)
        if offset >= end:
            return b""
        return self.request("GET", {"Range": f"bytes={offset}-{end - 1}"}).read()

    def size(self):
        return self.n_bytes

    def write(self, data, offset):
        raise minisql.OperationalError("attempt to write a readonly database")

    def truncate(self, size):
        raise minisql.OperationalError("attempt to write a readonly database")

    def sync(self):
        pass

    def close(self):
        self.connection.close()

    def lock(self, level):
        return True

    def unlock(self, level):
        pass

    def is_reserved(self):
        return False

    def has_moved(self):
        return False


class HttpVfs:
    """The files of one server; journals and logs do not exist there."""

    name = "http"
    has_wal = False

    def __init__(self, address):
        self.host = urlsplit(address).netloc

    def open(self, path, *, create, read_only, lock=True):
        return HttpFile(http.client.HTTPConnection(self.host, timeout=10), path)

    def exists(self, path):
        return False

    def delete(self, path, sync_directory):
        raise minisql.OperationalError("attempt to write a readonly database")

    def full_path(self, path):
        return path

    def sync_directory(self, path):
        pass

    def open_wal_index(self, path):
        return None

    def random_bytes(self, size):
        return os.urandom(size)

    def sleep(self, seconds):
        time.sleep(seconds)
