import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("addresses", () => {
  it.each([
    "isIP('::fffe:1.2.3.4')",
    "isIP('1::ffff:102:304')",
    "isIP('::1.2.3.4')",
    "ip('1.2.3.0') == ip('1.2.3.0')",
    "ip('1.2.3.255') == ip('1.2.3.255')",
    "ip('::1').family() == 6",
    "ip('1.1.1.1').family() == 4",
    "ip('::').isUnspecified()",
    "ip('0.0.0.0').isUnspecified()",
    "ip('127.255.255.255').isLoopback()",
    "ip('::1').isLoopback()",
    "ip('224.0.0.255').isLinkLocalMulticast()",
    "ip('ff02::1').isLinkLocalMulticast()",
    "ip('ff12::1').isLinkLocalMulticast()",
    "ip('169.254.1.1').isLinkLocalUnicast()",
    "ip('fe80::1').isLinkLocalUnicast()",
    "ip('febf::1').isLinkLocalUnicast()",
    "ip('10.0.0.1').isGlobalUnicast()",
    "ip('240.1.1.1').isGlobalUnicast()",
    "ip('255.255.255.254').isGlobalUnicast()",
    "ip('2001:db8::1').isGlobalUnicast()",
    "string(ip('2001:db8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'",
    "string(ip('2001:0:0:1:0:0:0:1')) == '2001:0:0:1::1'",
    "string(ip('1:0:2:3:4:5:6:7')) == '1:0:2:3:4:5:6:7'",
    "string(ip('0:0:1:2:3:4:5:6')) == '::1:2:3:4:5:6'",
    "string(ip('1:2:3:4:5:6:0:0')) == '1:2:3:4:5:6::'",
    "string(ip('1:2:3:4:5:6:7:8')) == '1:2:3:4:5:6:7:8'",
    "string(ip('::')) == '::'",
    "string(ip('::1.2.3.4')) == '::102:304'",
    "string(ip('1:2:3:4:5:6:1.2.3.4')) == '1:2:3:4:5:6:102:304'",
    "string(ip('ABCD::')) == 'abcd::'",
    "string(ip('255.1.0.16')) == '255.1.0.16'",
    "ip.isCanonical('127.0.0.1')",
    "ip.isCanonical('2001:db8::1')",
    "type(ip('1.1.1.1')) == net.IP",
    "dyn(ip('1.1.1.1')).family() == 4",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "isIP('1.2.3.4%eth0')",
    "isIP('fe80::1%eth0')",
    "isIP('fe80::1%')",
    "isIP('::ffff:1.2.3.4')",
    "isIP('::ffff:0:0')",
    "isIP('')",
    "ip('0.0.0.1').isUnspecified()",
    "ip('128.0.0.0').isLoopback()",
    "ip('::2').isLoopback()",
    "ip('224.0.1.0').isLinkLocalMulticast()",
    "ip('ff03::1').isLinkLocalMulticast()",
    "ip('169.253.1.1').isLinkLocalUnicast()",
    "ip('fec0::1').isLinkLocalUnicast()",
    "ip('0.0.0.0').isGlobalUnicast()",
    "ip('::').isGlobalUnicast()",
    "ip('::1').isGlobalUnicast()",
    "ip('127.0.0.1').isGlobalUnicast()",
    "ip('224.0.0.1').isGlobalUnicast()",
    "ip('239.1.1.1').isGlobalUnicast()",
    "ip('255.255.255.255').isGlobalUnicast()",
    "ip('ff00::1').isGlobalUnicast()",
    "ip('fe80::1').isGlobalUnicast()",
    "ip('169.254.0.1').isGlobalUnicast()",
    "ip.isCanonical('2001:DB8::1')",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "ip('1.2.3') == ip('1.2.3.4')",
      'IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): IPv4 address too short',
    ],
    [
      "ip('1.2.3.4.5') == ip('1.2.3.4')",
      'IP Address "1.2.3.4.5" parse error during conversion from string: ParseAddr("1.2.3.4.5"): IPv4 address too long',
    ],
    [
      "ip('1.2.3.256') == ip('1.2.3.4')",
      'IP Address "1.2.3.256" parse error during conversion from string: ParseAddr("1.2.3.256"): IPv4 field has value >255',
    ],
    [
      "ip('1.2.3.04') == ip('1.2.3.4')",
      'IP Address "1.2.3.04" parse error during conversion from string: ParseAddr("1.2.3.04"): IPv4 field has octet with leading zero',
    ],
    [
      "ip('1.2.3.x') == ip('1.2.3.4')",
      'IP Address "1.2.3.x" parse error during conversion from string: ParseAddr("1.2.3.x"): unexpected character (at "x")',
    ],
    [
      "ip('.1.2.3') == ip('1.2.3.4')",
      'IP Address ".1.2.3" parse error during conversion from string: ParseAddr(".1.2.3"): IPv4 field must have at least one digit (at ".1.2.3")',
    ],
    [
      "ip('x.1.2.3') == ip('1.2.3.4')",
      'IP Address "x.1.2.3" parse error during conversion from string: ParseAddr("x.1.2.3"): unexpected character (at "x.1.2.3")',
    ],
    [
      "ip('abc') == ip('1.2.3.4')",
      'IP Address "abc" parse error during conversion from string: ParseAddr("abc"): unable to parse IP',
    ],
    ["ip('fe80::1%eth0') == ip('1.2.3.4')", 'IP address "fe80::1%eth0" with zone value is not allowed'],
    ["ip('::ffff:1.2.3.4') == ip('1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
    [
      "ip.isCanonical('x')",
      'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP',
    ],
    ["dyn(ip('1.1.1.1')) == dyn('1.1.1.1')", "no such overload"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

// Answers of kube-apiserver 1.34.4.
describe("networks", () => {
  it.each([
    "isCIDR('10.0.0.0/8')",
    "isCIDR('10.0.0.0/32')",
    "isCIDR('::/128')",
    "isCIDR('10.0.0.0/0')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
    "string(cidr('10.1.2.3/8').masked()) == '10.0.0.0/8'",
    "string(cidr('10.1.2.3/0').masked()) == '0.0.0.0/0'",
    "string(cidr('10.1.2.3/32').masked()) == '10.1.2.3/32'",
    "string(cidr('2001:db8::1/32').masked()) == '2001:db8::/32'",
    "string(cidr('10.1.2.3/8').ip()) == '10.1.2.3'",
    "cidr('10.1.2.3/8').ip() == ip('10.1.2.3')",
    "cidr('10.1.2.3/8').prefixLength() == 8",
    "cidr('10.0.0.0/8').containsIP('10.255.255.255')",
    "cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))",
    "cidr('10.1.0.0/8').containsIP(ip('10.2.0.1'))",
    "cidr('0.0.0.0/0').containsIP('10.0.0.1')",
    "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/8')",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    "cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16'))",
    "cidr('10.0.0.0/16').containsCIDR('10.0.1.3/16')",
    "type(cidr('1.1.1.1/8')) == type(cidr('::/0'))",
    "type(cidr('1.1.1.1/8')) == net.CIDR",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "isCIDR('10.0.0.0/33')",
    "isCIDR('::/129')",
    "isCIDR('10.0.0.0/08')",
    "isCIDR('10.0.0.0/-1')",
    "isCIDR('10.0.0.0/+1')",
    "isCIDR('10.0.0.0/')",
    "isCIDR('10.0.0.0')",
    "isCIDR('fe80::1%e/64')",
    "isCIDR('fe80::1/64%e')",
    "isCIDR('::ffff:1.2.3.4/120')",
    "isCIDR('10.0.0/8')",
    "isCIDR('10.0.0.0/8/8')",
    "cidr('10.1.2.3/8') == cidr('10.0.0.0/8')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/9')",
    "cidr('10.0.0.0/8').containsIP('11.0.0.0')",
    "cidr('10.0.0.0/8').containsIP('::a00:1')",
    "cidr('::/0').containsIP('10.0.0.1')",
    "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7')",
    "cidr('10.0.0.0/8').containsCIDR('11.1.0.0/16')",
    "cidr('10.0.0.0/8').containsCIDR(cidr('9.1.0.0/16'))",
    "cidr('10.0.0.0/8').containsCIDR('10.1.2.3/4')",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "cidr('10.0.0.0') == cidr('10.0.0.0/8')",
      "network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(\"10.0.0.0\"): no '/'",
    ],
    [
      "cidr('10.0.0.0/33') == cidr('10.0.0.0/8')",
      'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/33"): prefix length out of range',
    ],
    [
      "cidr('10.0.0.0/08') == cidr('10.0.0.0/8')",
      'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"',
    ],
    [
      "cidr('10.0.0/8') == cidr('10.0.0.0/8')",
      'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0/8"): ParseAddr("10.0.0"): IPv4 address too short',
    ],
    [
      "cidr('fe80::1%e/64') == cidr('10.0.0.0/8')",
      'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("fe80::1%e/64"): IPv6 zones cannot be present in a prefix',
    ],
    [
      "cidr('::ffff:1.2.3.4/120') == cidr('10.0.0.0/8')",
      'network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:1.2.3.4/120" is not allowed',
    ],
    ["cidr('10.0.0.0/8').containsIP('x')", "no such overload"],
    [
      "cidr('10.0.0.0/8').containsCIDR('x')",
      "network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(\"x\"): no '/'",
    ],
    ["dyn(ip('1.1.1.1')) == dyn(cidr('1.1.1.1/32'))", "no such overload"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

// Answers of kube-apiserver 1.34.4.
describe("URLs", () => {
  it.each([
    "url('https://u:p@h.com:80/a b?x=1&x=2&y=%20+z&w#frag').getHost() == 'h.com:80'",
    "url('https://u:p@h.com:80/a').getHostname() == 'h.com'",
    "url('https://h.com:80/a').getPort() == '80'",
    "url('https://h.com/a').getPort() == ''",
    "url('https://h.com:/a').getPort() == ''",
    "url('https://[::1]:80/a').getHostname() == '::1'",
    "url('https://[::1]:80/a').getHost() == '[::1]:80'",
    "url('https://[::1]:80/a').getPort() == '80'",
    "url('https://[::1]/a').getPort() == ''",
    "url('HTTPS://h/a').getScheme() == 'https'",
    "url('/a/b').getScheme() == ''",
    "url('/a/b').getEscapedPath() == '/a/b'",
    "url('/a b').getEscapedPath() == '/a%20b'",
    "url('/a%20b').getEscapedPath() == '/a%20b'",
    "url('/a%2fb c').getEscapedPath() == '/a/b%20c'",
    "url('/é').getEscapedPath() == '/%C3%A9'",
    "url('/a;b=c').getEscapedPath() == '/a;b=c'",
    "url('/a*b!(c) ').getEscapedPath() == '/a%2Ab%21%28c%29%20'",
    "url('mailto:x@y.z').getEscapedPath() == ''",
    "url('mailto:x@y.z').getHost() == ''",
    "url('mailto:x@y.z').getScheme() == 'mailto'",
    "url('a1+-.:/x').getScheme() == 'a1+-.'",
    "url('//h/x').getHost() == 'h'",
    "url('https://h').getEscapedPath() == ''",
    "url('https://h?x=1').getQuery() == {'x': ['1']}",
    "url('https://h/?x=1&x=2&y').getQuery() == {'x': ['1', '2'], 'y': ['']}",
    "url('https://h/?x=1;y=2&z=3').getQuery() == {'z': ['3']}",
    "url('https://h/?x=%zz&z=3').getQuery() == {'z': ['3']}",
    "url('https://h/?a+b=c+d%20e').getQuery() == {'a b': ['c d e']}",
    "url('https://h/?a=b=c').getQuery() == {'a': ['b=c']}",
    "url('https://h/?a=b?c').getQuery() == {'a': ['b?c']}",
    "url('https://h/?a=1&&b=2').getQuery() == {'a': ['1'], 'b': ['2']}",
    "url('https://h/?').getQuery() == {}",
    "url('https://h/?a=1#b=2').getQuery() == {'a': ['1']}",
    "url('https://h/#a?b=2').getQuery() == {}",
    "url('https://h/a#/b').getEscapedPath() == '/a'",
    "isURL('https://h<h/')",
    "isURL('https://h\"h/')",
    "isURL('https://user@/x')",
    "isURL('*')",
    "url('https://h/a') == url('https://h/a')",
    "url('https://a@b@c/x').getHost() == 'c'",
    "url('https:/x').getEscapedPath() == '/x'",
    "url('https:/x').getHost() == ''",
    "url('https:///x').getHost() == ''",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "url('https://h:80:90/a').getPort() == ''",
    "url('//h/x').getEscapedPath() == '//h/x'",
    "isURL('https://h/\\x7f')",
    "isURL('https://h/\\x1f')",
    "isURL('https://h h/')",
    "isURL('https://h%41/')",
    "isURL('https://h%zz/')",
    "isURL('https://us er@h/x')",
    "isURL('../x')",
    "isURL('x')",
    "url('https://h/a') == url('https://h/b')",
    "dyn(1) == dyn(url('/a'))",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    [
      "url('https://[::1/a').getPort() == ''",
      "URL parse error during conversion from string: parse \"https://[::1/a\": missing ']' in host",
    ],
    [
      "url('https://[::1]x/a').getPort() == ''",
      'URL parse error during conversion from string: parse "https://[::1]x/a": invalid port "x" after host',
    ],
    [
      "url('https://h:x/a').getPort() == ''",
      'URL parse error during conversion from string: parse "https://h:x/a": invalid port ":x" after host',
    ],
    [
      "url('/a%zz').getEscapedPath() == '/a%20b'",
      'URL parse error during conversion from string: parse "/a%zz": invalid URL escape "%zz"',
    ],
    [
      "url('/a%2').getEscapedPath() == '/a%20b'",
      'URL parse error during conversion from string: parse "/a%2": invalid URL escape "%2"',
    ],
    [
      "url('a.b').getScheme() == ''",
      'URL parse error during conversion from string: parse "a.b": invalid URI for request',
    ],
    [
      "url('a/b:c').getScheme() == ''",
      'URL parse error during conversion from string: parse "a/b:c": invalid URI for request',
    ],
    [
      "url(':foo').getScheme() == ''",
      'URL parse error during conversion from string: parse ":foo": missing protocol scheme',
    ],
    ["url('').getScheme() == ''", 'URL parse error during conversion from string: parse "": empty url'],
    [
      "type(url('/a')) == kubernetes.URL",
      "ERROR: <input>:1:20: undeclared reference to 'kubernetes' (in container '')",
    ],
    ["dyn(url('/a')) == dyn('/a')", "no such overload"],
    ["dyn(url('/a')) == dyn(1)", "no such overload"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});
