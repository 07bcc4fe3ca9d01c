"""One process that is a whole Swift: store.py <folder> <port> <open port>

The port speaks S3, and checks who asks. The open port speaks Swift's own API, and lets everybody do everything:
the proof looks there at what is stored, without a signature of ours. The folder needs extended attributes, as
ext4 has them.
"""

import os
import sys

from swift.common import utils

utils.eventlet_monkey_patch()
# In place of /etc/swift/swift.conf.
utils.HASH_PATH_SUFFIX = b"a proof"

import eventlet
from eventlet import wsgi
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder
from swift.common.wsgi import ConfigString, loadapp

folder, port, open_port = sys.argv[1:]
address = "127.0.0.1"


def serve(port, config):
    """Gives the port, which the system chooses for 0."""
    listener = eventlet.listen((address, int(port)))
    common = f"[DEFAULT]\nswift_dir={folder}\ndevices={folder}\nmount_check=false\n"
    app = loadapp(ConfigString(common + config))
    # A header of S3 is ETag, not Etag.
    options = {"protocol": SwiftHttpProtocol, "capitalize_response_headers": False}
    eventlet.spawn(wsgi.server, listener, app, utils.NullLogger(), **options)
    return listener.getsockname()[1]


os.makedirs(os.path.join(folder, "disk"), exist_ok=True)
for kind in ("account", "container", "object"):
    kind_port = serve(0, f"[app:main]\nuse=egg:swift#{kind}\n")
    ring = RingBuilder(part_power=1, replicas=1, min_part_hours=0)
    where = {"region": 1, "zone": 1, "ip": address, "port": kind_port}
    ring.add_dev({"device": "disk", "weight": 1, **where})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, f"{kind}.ring.gz"))

proxy = "[app:proxy-server]\nuse=egg:swift#proxy\naccount_autocreate=true\n"
serve(open_port, f"[pipeline:main]\npipeline=proxy-server\n{proxy}")
serve(
    port,
    f"""[pipeline:main]
pipeline=catch_errors cache s3api tempauth proxy-server
[filter:catch_errors]
use=egg:swift#catch_errors
# tempauth needs a cache to ask. Nobody listens there.
[filter:cache]
use=egg:swift#memcache
memcache_servers={address}:1
[filter:s3api]
use=egg:swift#s3api
location=eu-central-1
[filter:tempauth]
use=egg:swift#tempauth
user_test_registry=a-secret .admin
{proxy}""",
)
print("ready", flush=True)
# Until whoever started it ends.
eventlet.hubs.trampoline(sys.stdin, read=True)
