import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Forgery, forgeriesOf, isMembers, someForgeriesOf } from '#test-support/export-attacks.ts'
import { exportedAccount, exportKinds, signedFile } from '#test-support/exported-account.ts'
import { seededRandom, triesAll } from '#test-support/random-seed.ts'
import { openTimestampAuthority } from '#test-support/timestamp-authority.ts'
import { cosigned, witnessKey } from '#test-support/witnessed-log.ts'
import { reportAttestations } from '#services/cli/attestation-report.ts'
import type { JsonValue } from '#services/proof/canonical-json.ts'
import { accountExport, type AccountExport } from '#services/proof/export-format.ts'
import { type ExportVerification, verifyExport } from '#services/oversight/audit/export-verification.ts'
import { type SigningKey, signingKeyOf } from '#services/proof/seal-signing.ts'
import { timestampRequest, tokenOf } from '#services/proof/timestamps.ts'
import { ownNote } from '#services/proof/tree-checkpoint.ts'
import { verifierKeyText } from '#services/proof/verifier-key.ts'
import { parseWitnessPolicy } from '#services/proof/witness-policy.ts'

/**
 * Forgeries of whole exports, by test-support/export-attacks.ts: of every kind in every field of a small one, which
 * witnesses cosigned and which has a time stamp (test:long: all); by seed of a large one. None is accepted.
 */

const witnesses = [witnessKey('w1.example', 1), witnessKey('w2.example', 2)]
const policy = parseWitnessPolicy(
  Buffer.from(
    `${witnesses.map((key, n) => `witness w${n} ${verifierKeyText(key, 'witness')}\n`).join('')}group both all w0 w1\nquorum both\n`,
  ),
)

/** Of the forgeries of each kind every thirty-second is tried, from one by seed on; in test:long all. */
const EVERY = triesAll ? 1 : 32
const FIRST = seededRandom().whole(0, EVERY - 1)
const many = (count: number): number => Math.ceil(count / EVERY)

/** Forgeries of every kind, which is what was done and in which field. */
function* ofEveryKind(forgeries: Iterable<Forgery>): Generator<Forgery> {
  const met = new Map<string, number>()
  for (const forgery of forgeries) {
    const kind = forgery.name.replaceAll(/\d+/g, 'n')
    const before = met.get(kind) ?? 0
    met.set(kind, before + 1)
    // Kinds with few forgeries are tried, too.
    if (before % EVERY === FIRST || before === 0) yield forgery
  }
}

type Exported = Awaited<ReturnType<typeof exportedAccount>>

let small: Exported
let large: Exported
beforeAll(async () => {
  const authority = await openTimestampAuthority()
  const attest = (note: string) => {
    const request = timestampRequest(note)
    return {
      note: witnesses.reduce((text, key) => cosigned(text, key, 1_000), note),
      timestamp: tokenOf(authority.reply(request.bytes), note, request),
    }
  }
  ;[small, large] = [await exportedAccount({ attest }), await exportedAccount({ changes: 120, uncovered: 1 })]
  await authority.close()
})
let [tried, accepted] = [0, 0]
afterAll(async () => {
  process.stderr.write(`Forged exports tried: ${tried}, accepted: ${accepted}\n`)
  for (const { close } of [small, large]) await close()
})

/** The names of those that pass for genuine. */
async function passing(forgeries: Iterable<Forgery>, file: string, trusted: readonly string[]): Promise<string[]> {
  const names: string[] = []
  for (const { name, text } of forgeries) {
    const forged = text()
    if (forged === file) continue
    tried += 1
    if ((await verifyExport(forged, trusted)).outcome === 'genuine') names.push(name)
  }
  accepted += names.length
  return names
}

const contentOf = (file: string): AccountExport => accountExport.parse(JSON.parse(file))
const trustedOf = ({ keys }: Exported) => keys.map(({ id }) => id).slice(-1)

describe.each(exportKinds)("a %s's export", (kind) => {
  it('is genuine as the portal writes it, with a trusted key and without', async () => {
    for (const exported of [small, large])
      for (const trusted of [[], trustedOf(exported), exported.keys.map(({ id }) => id)]) {
        const verification = await verifyExport(exported.files[kind], trusted)
        expect(verification).toMatchObject({
          outcome: 'genuine',
          account: exported.account,
          isTrusted: trusted.length > 0,
        })
      }
  })

  it('is refused with any one thing changed', async () => {
    const file = small.files[kind]
    expect(await passing(ofEveryKind(forgeriesOf(file)), file, [])).toEqual([])
    expect(await passing(someForgeriesOf(file, many(1_000)), file, trustedOf(small))).toEqual([])
  })

  it('is refused with things changed by seed, when it is long', async () => {
    const file = large.files[kind]
    expect(await passing(someForgeriesOf(file, many(400), { pairs: 50 }), file, trustedOf(large))).toEqual([])
  })

  it('is refused with anything proven changed, also signed again with the current key', async () => {
    const file = small.files[kind]
    // What stays open is what no checkpoint covers, and which fields are disclosed.
    const honest = await verifyExport(file)
    for (const { name, text } of someForgeriesOf(file, many(1_000))) {
      tried += 1
      const verification = await verifyExport(signedAgain(text(), small.keys[1]), trustedOf(small))
      if (verification.outcome === 'genuine')
        expect([name, provenOf(verification, honest)]).toEqual([name, provenOf(honest, honest)])
    }
  })

  it('is not seen by its witnesses with anything proven changed, also signed again with the current key', async () => {
    const file = small.files[kind]
    const honest = await verifyExport(file)
    for (const { name, text } of someForgeriesOf(file, many(300))) {
      tried += 1
      const verification = await verifyExport(signedAgain(text(), small.keys[1]))
      if (verification.outcome !== 'genuine' || honest.outcome !== 'genuine') continue
      const { refusal, witnesses: seen } = await reportAttestations(verification, policy)
      if (refusal === undefined)
        expect([name, seen, ownNote(verification.checkpoint)]).toEqual([
          name,
          expect.objectContaining({ seen: 2 }),
          ownNote(honest.checkpoint),
        ])
    }
    // Neither the time of a cosignature nor the bytes of a token can be exchanged: the file is signed as a whole.
    const content = contentOf(file)
    const token = Buffer.from(content.checkpointTimestamp ?? '', 'base64')
    for (let at = 0; at < token.length; at += 7) {
      tried += 1
      const edited = Buffer.from(token)
      edited[at] = (edited[at] ?? 0) ^ 1
      const forged = { ...content, checkpointTimestamp: edited.toString('base64') }
      expect((await verifyExport(JSON.stringify(forged), trustedOf(small))).outcome).toBe('altered')
    }
    for (const checkpointTimestamp of ['', 'AAA', 'AAAA ', 'AAB=', null, 0]) {
      const forged = signedFile({ ...content, checkpointTimestamp }, small.keys[1])
      expect([checkpointTimestamp, (await verifyExport(forged)).outcome]).toEqual([checkpointTimestamp, 'altered'])
    }
    const { checkpointTimestamp: _token, ...without } = content
    expect((await verifyExport(JSON.stringify(without))).outcome).toBe('altered')
  })

  it("is refused with anything changed and signed with another's key", async () => {
    const stranger = signingKeyOf(new Uint8Array(32).fill(7))
    const file = small.files[kind]
    const forgeries = someForgeriesOf(file, many(300)).map(({ name, text }) => ({
      name,
      text: () => withKey(text(), stranger),
    }))
    for (const trusted of [[], trustedOf(small)]) expect(await passing(forgeries, file, trusted)).toEqual([])
  })
})

/** What a verification says about the entries that are proven in the honest file: those are the first. */
function provenOf(verification: ExportVerification, honest: ExportVerification): unknown {
  if (verification.outcome !== 'genuine' || honest.outcome !== 'genuine') return verification
  const count = honest.proven
  const undisclosed = (value: unknown) =>
    JSON.stringify(value).replaceAll(
      /"(?:not in this file|Ada Lovelace|ada@[a-z.]+|uk|London|Turin|St James Square|12|Phase 1 passed|none)"/g,
      '"?"',
    )
  return [
    verification.proven,
    undisclosed(verification.entries.slice(0, count)),
    undisclosed(verification.stateAfter(count)),
  ]
}

function signedAgain(text: string, key: SigningKey): string {
  const content = parsed(text)
  return content === undefined ? text : signedFile(content, key)
}

function withKey(text: string, { id, publicKey, ...key }: SigningKey): string {
  const content = parsed(text)
  if (content === undefined || !isMembers(content)) return text
  return signedFile({ ...content, keys: [{ id, publicKey, endorsement: null }] }, { id, publicKey, ...key })
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
