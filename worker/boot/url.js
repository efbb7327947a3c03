// URL (URL standard, 6). Its parts are in the order of api/url.cc.
(native, shared) => {
  const { parseUrl, setUrl, toUsv } = native;
  const { needs, paramsOf, setParams } = shared;
  const [href, protocol, username, password, host, hostname, port, pathname, search, hash, origin] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

  const parse = (url, base) => parseUrl(toUsv(url), base === undefined ? undefined : toUsv(base));

  class URL {
    #parts;
    #params = undefined;

    constructor(url, base = undefined) {
      needs(1, arguments.length, "URL");
      this.#parts = parse(url, base);
      if (this.#parts === undefined) throw new TypeError("Invalid URL");
    }
    static canParse(url, base = undefined) {
      needs(1, arguments.length, "canParse");
      return parse(url, base) !== undefined;
    }

    #set(which, value) {
      const parts = this.#parts;
      this.#parts = setUrl(parts[href], which, toUsv(value)) ?? parts;
    }
    get href() { return this.#parts[href]; }
    set href(value) {
      const parts = parse(value, undefined);
      if (parts === undefined) throw new TypeError("Invalid URL");
      this.#parts = parts;
      if (this.#params !== undefined) setParams(this.#params, parts[search]);
    }
    get origin() { return this.#parts[origin]; }
    get protocol() { return this.#parts[protocol]; }
    set protocol(value) { this.#set(protocol, value); }
    get username() { return this.#parts[username]; }
    set username(value) { this.#set(username, value); }
    get password() { return this.#parts[password]; }
    set password(value) { this.#set(password, value); }
    get host() { return this.#parts[host]; }
    set host(value) { this.#set(host, value); }
    get hostname() { return this.#parts[hostname]; }
    set hostname(value) { this.#set(hostname, value); }
    get port() { return this.#parts[port]; }
    set port(value) { this.#set(port, value); }
    get pathname() { return this.#parts[pathname]; }
    set pathname(value) { this.#set(pathname, value); }
    get search() { return this.#parts[search]; }
    set search(value) {
      this.#set(search, value);
      if (this.#params !== undefined) setParams(this.#params, this.#parts[search]);
    }
    get searchParams() {
      const parts = this.#parts;
      this.#params ??= paramsOf(parts[search], (query) => this.#set(search, query));
      return this.#params;
    }
    get hash() { return this.#parts[hash]; }
    set hash(value) { this.#set(hash, value); }
    toJSON() { return this.#parts[href]; }
    toString() { return this.#parts[href]; }
  }
  shared.interface(URL);
  shared.global("URL", URL);
}
