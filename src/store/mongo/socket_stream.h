// Streams of the driver over sockets of this process, which may also be waited for without a thread.
#pragma once

#include "base/descriptor.h"

// A type of the driver, which its own header declares.
typedef struct _mongoc_stream_t mongoc_stream_t;  // NOLINT(modernize-use-using): as there
struct sockaddr;

namespace mb::store::mongo {

// A socket that is connected to the address; not open for a failure. `until` is a time of bson_get_monotonic_time().
// Blocks until then.
Descriptor connectSocket(const sockaddr& address, unsigned size, int64_t until);

// A stream over a connected socket of connectSocket(), for any thread, one at a time. A timeout of 0 never blocks.
mongoc_stream_t* newSocketStream(Descriptor socket);

}  // namespace mb::store::mongo
