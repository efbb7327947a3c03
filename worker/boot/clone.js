// structuredClone (HTML standard, 2.7).
(native, shared) => {
  const { clone, isBuffer } = native;
  const { DOMException, dictionary, needs } = shared;
  const fail = (message) => { throw new DOMException(message, "DataCloneError"); };

  shared.global("structuredClone", function structuredClone(value, options = undefined) {
    needs(1, arguments.length, "structuredClone");
    const { transfer } = dictionary(options, "options");
    const buffers = [];
    if (transfer !== undefined) {
      for (const buffer of transfer) {
        if (!isBuffer(buffer)) fail("Only ArrayBuffers can be transferred");
        for (let i = 0; i < buffers.length; i++) if (buffers[i] === buffer) fail("A buffer is transferred once");
        buffers[buffers.length] = buffer;
      }
    }
    return clone(value, buffers, fail);
  });
}
