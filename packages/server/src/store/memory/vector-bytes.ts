// The stored form of vectors: float32, little endian on every machine.
import { endianness } from 'node:os'

const isLittleEndian = endianness() === 'LE'

export function toVectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.slice().buffer)
  return isLittleEndian ? bytes : bytes.swap32()
}

/** Copies the bytes, because those of the driver may not be aligned for floats. */
export function fromVectorBytes(bytes: Buffer): Float32Array {
  const copy = Buffer.from(new Uint8Array(bytes).buffer)
  if (!isLittleEndian) copy.swap32()
  return new Float32Array(copy.buffer, copy.byteOffset, copy.length / Float32Array.BYTES_PER_ELEMENT)
}
