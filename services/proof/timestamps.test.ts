import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTimestampAuthority, type TimestampAuthority } from '#test-support/timestamp-authority.ts'
import { cosigned, witnessedLog, witnessKey } from '#test-support/witnessed-log.ts'
import { ownNote } from './tree-checkpoint.ts'
import { timestampedAt, timestampRequest, tokenOf } from './timestamps.ts'

let authority: TimestampAuthority
let note: string
beforeAll(async () => {
  authority = await openTimestampAuthority()
  note = await witnessedLog().note(200)
})
afterAll(() => authority.close())

function stamped(): Buffer {
  const request = timestampRequest(note)
  return tokenOf(authority.reply(request.bytes), note, request)
}

describe('a time-stamp token of a checkpoint', () => {
  it('is one for openssl, and states a time', () => {
    const token = stamped()
    expect(authority.check(token, note)).toBe('Verification: OK')
    expect(authority.check(token, `${note} `)).toBe('Verification: FAILED')
    expect(Math.abs(timestampedAt(token, note) - Date.now())).toBeLessThan(60_000)
  })

  it('is of what the log signed, with any cosignatures', () => {
    const token = stamped()
    const both = cosigned(note, witnessKey('witness.example/w1', 3), 1_000)
    expect(timestampedAt(token, both)).toBe(timestampedAt(token, note))
    expect(authority.check(token, ownNote(both))).toBe('Verification: OK')
  })

  it('is refused when it is of another checkpoint, another request, or no token', async () => {
    const request = timestampRequest(note)
    const response = authority.reply(request.bytes)
    const other = await witnessedLog().note(201)
    expect(() => tokenOf(response, note, timestampRequest(note))).toThrow('another request')
    expect(() => tokenOf(response, other, request)).toThrow('something else')
    expect(() => timestampedAt(stamped(), other)).toThrow('something else')
    // openssl answers what is no request with a status and no token.
    expect(() => tokenOf(authority.reply(Buffer.from('nothing')), note, request)).toThrow('refused: status 2')
    for (const bytes of [Buffer.alloc(0), Buffer.from('nothing'), response, response.subarray(0, 100)])
      expect(() => timestampedAt(bytes, note)).toThrow(Error)
    for (const bytes of [Buffer.alloc(0), Buffer.from('<html>'), response.subarray(0, 100)])
      expect(() => tokenOf(bytes, note, request)).toThrow(Error)
  })
})
