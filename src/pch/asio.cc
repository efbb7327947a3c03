// Compiles Asio's separately compiled part (BOOST_ASIO_SEPARATE_COMPILATION), here only.
#include <boost/asio/impl/src.hpp>
