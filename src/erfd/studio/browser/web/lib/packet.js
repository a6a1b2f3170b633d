// Arrays from the server: a length, a JSON header, then the arrays, each at a multiple of 8 bytes.

const KINDS = { f4: Float32Array, f8: Float64Array, i4: Int32Array, u1: Uint8Array };

export function unpack(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size)));
  let place = 8 + Math.ceil(size / 8) * 8;
  const found = { ...header };
  for (const { name, kind, length } of header.arrays) {
    const Kind = KINDS[kind];
    found[name] = new Kind(buffer, place, length);
    place += Math.ceil((length * Kind.BYTES_PER_ELEMENT) / 8) * 8;
  }
  return found;
}

export async function getPacket(url, options = {}) {
  const answer = await fetch(url, { credentials: "same-origin", ...options });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return unpack(await answer.arrayBuffer());
}
