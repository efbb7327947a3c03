"""Hosts that no call of a project may reach: this machine, private networks, a cloud's services; in all notations."""

# Names that resolve to this machine; 127.0.0.0/8 and 0.0.0.0 in full, shortened, as numbers, octal, hexadecimal.
THIS_MACHINE = """localhost LOCALHOST localhost. ip6-localhost 127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254
2130706433 0x7f000001 0x7F.1 017700000001 0177.0.0.1 0177.1 0 0.0.0.0""".split()
# IPv6: loopback, unspecified, mapped, compatible, translated, 6to4, link-local, unique local.
SIX = """[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1]
[2002:7f00:1::] [fe80::1%25lo] [fc00::1] [fd00:ec2::254] [::ffff:169.254.169.254]""".split()
# Private, link-local with the metadata service, shared, multicast, reserved, and a cloud's own.
PRIVATE = """10.0.0.1 172.16.0.1 192.168.0.1 169.254.169.254 2852039166 0xa9fea9fe 100.64.0.1 224.0.0.1 255.255.255.255
240.0.0.1 168.63.129.16""".split()

HOSTS = THIS_MACHINE + SIX + PRIVATE
