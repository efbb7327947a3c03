// DOMException (Web IDL, 2.8.1), thrown by several of the interfaces.
(native, shared) => {
  const captureStackTrace = Error.captureStackTrace;
  const names = [
    "IndexSizeError", "", "HierarchyRequestError", "WrongDocumentError", "InvalidCharacterError", "",
    "NoModificationAllowedError", "NotFoundError", "NotSupportedError", "InUseAttributeError", "InvalidStateError",
    "SyntaxError", "InvalidModificationError", "NamespaceError", "InvalidAccessError", "", "TypeMismatchError",
    "SecurityError", "NetworkError", "AbortError", "URLMismatchError", "QuotaExceededError", "TimeoutError",
    "InvalidNodeTypeError", "DataCloneError",
  ];
  const codes = { __proto__: null };
  for (let i = 0; i < names.length; i++) if (names[i] !== "") codes[names[i]] = i + 1;

  class DOMException {
    #message;
    #name;
    constructor(message = "", name = "Error") {
      this.#message = `${message}`;
      this.#name = `${name}`;
      captureStackTrace(this, DOMException);
    }
    get name() { return this.#name; }
    get message() { return this.#message; }
    get code() { return codes[this.#name] ?? 0; }
  }
  Object.setPrototypeOf(DOMException.prototype, Error.prototype);
  shared.interface(DOMException);
  shared.global("DOMException", DOMException);
  shared.DOMException = DOMException;
}
