import { describe, expect, it } from 'vitest'
import { leafOf } from './merkle-tree.ts'
import { signingKeyOf } from './seal-signing.ts'
import { checkpointBody, checkpointNote, isCheckpointSigned, parseCheckpoint } from './tree-checkpoint.ts'

const [key, another] = [7, 8].map((byte) => signingKeyOf(new Uint8Array(32).fill(byte)))
const root = leafOf('a root')

const noteOf = async (signer = key, origin = 'portal.example/log') => {
  if (!signer) throw new Error('There is no key')
  const body = checkpointBody({ origin, size: 42, root })
  return checkpointNote(body, signer.publicKey, Buffer.from(signer.sign(body), 'base64'))
}

describe('a tree checkpoint', () => {
  it('is read as it was written', async () => {
    const note = await noteOf()
    const checkpoint = parseCheckpoint(note)
    expect(checkpoint).toMatchObject({ origin: 'portal.example/log', size: 42 })
    expect(Buffer.from(checkpoint.root)).toEqual(root)
    expect(await isCheckpointSigned(checkpoint, key?.publicKey ?? '')).toBe(true)
    expect(await isCheckpointSigned(checkpoint, another?.publicKey ?? '')).toBe(false)
  })

  it('may carry signatures of others, which do not count', async () => {
    const [note, other] = [await noteOf(), await noteOf(another)]
    const both = `${note}${other.split('\n\n')[1]}`
    expect(await isCheckpointSigned(parseCheckpoint(both), key?.publicKey ?? '')).toBe(true)
    // The same bytes under the name of another log.
    const renamed = note.replace('\u2014 portal.example/log', '\u2014 other.example/log')
    expect(await isCheckpointSigned(parseCheckpoint(renamed), key?.publicKey ?? '')).toBe(false)
  })

  it('is refused with any character changed', async () => {
    const note = await noteOf()
    for (let at = 0; at < note.length; at++)
      for (const character of ['A', '1', '\n', ' ']) {
        if (note[at] === character) continue
        const edited = note.slice(0, at) + character + note.slice(at + 1)
        const isAccepted = await (async () =>
          isCheckpointSigned(parseCheckpoint(edited), key?.publicKey ?? ''))().catch(() => false)
        expect(isAccepted, JSON.stringify(edited)).toBe(false)
      }
  })

  it('is refused in any other form', async () => {
    const note = await noteOf()
    for (const edited of [
      '',
      note.trimEnd(),
      `${note}\n`,
      note.replace('\n42\n', '\n042\n'),
      note.replace('\n42\n', '\n42.0\n'),
      note.replace('\n42\n', '\n99999999999999999\n'),
      note.replace('\n\n', '\nextension\n\n'),
      note.replace('\n\n', '\n'),
      note.replaceAll('\n', '\r\n'),
      note.replace('\u2014 portal.example/log ', '\u2014 portal.example/log  '),
      note.split('\n\n')[0] ?? '',
      // Names that would break the sentence that shows them.
      ...['\u2800', '\u202e', '\u00e9', '+', '\u200b', '\u{1f600}'].flatMap((character) => [
        note.replaceAll('portal.example', `portal${character}example`),
        `${note}\u2014 witness${character} AAAAAAAA\n`,
      ]),
    ])
      expect(() => parseCheckpoint(edited), JSON.stringify(edited)).toThrow(Error)
  })
})
