import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Offer } from '#services/programmes/programmes/offer-api.ts'
import { canonicalJson, type JsonValue } from '#services/proof/canonical-json.ts'
import { after, read, tryDraft } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { DraftedVersion, ListedProgramme, OfferedProgramme, ProgrammeVersionAnswer, WhatIf } from '../programme-api.ts'
import { presets, presetTerms } from '../presets.ts'
import { termsInWords } from '#services/rules/terms-in-words.ts'

const PROGRAMMES = '/api/admin/programmes'
const terms = { ...presetTerms('two-step', 100_000), name: 'Two-Step 100K, summer' }

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const hashOf = (document: JsonValue) => createHash('sha256').update(canonicalJson(document)).digest('hex')
const eventsOf = async (id: string) => (await portal.events(`programme-${id}`)).map(({ type }) => type)

/** Drafts a programme with these terms. */
async function drafted(document: JsonValue = terms): Promise<z.infer<typeof DraftedVersion>> {
  const answer = await admin.post(PROGRAMMES, { terms: document })
  expect(answer.status).toBe(201)
  return read(DraftedVersion, answer)
}

describe('a new portal', () => {
  it('offers the presets, published by the system', async () => {
    const list = async () => read(ListedProgramme.array(), await admin.get(PROGRAMMES))
    await until(async () => (await list()).length >= presets.length, 'the presets')
    const listed = new Map((await list()).map((each) => [each.id, each]))
    for (const { id, terms: preset } of presets) {
      expect(listed.get(id)).toEqual({
        id,
        name: preset.name,
        versions: [{ version: 1, state: 'published', hash: hashOf(preset) }],
      })
      const version = read(ProgrammeVersionAnswer, await admin.get(`${PROGRAMMES}/${id}/versions/1`))
      expect(version).toMatchObject({ id, version: 1, state: 'published', terms: preset, publishedBy: 'system' })
    }
  })

  it('names the programme of each offer', async () => {
    const offers = read(Offer.array(), await portal.browser().get('/api/offers'))
    const ids = offers.flatMap(({ oneStep, twoStep }) => [oneStep?.programme, twoStep?.programme])
    expect(ids.toSorted()).toEqual(presets.map(({ id }) => id).toSorted())
  })
})

describe('an offer', () => {
  it('says what its programme says for a purchase now', async () => {
    const path = `${PROGRAMMES}/one-step-200000/versions`
    const preset = presetTerms('one-step', 200_000)
    const [phase, funded] = preset.stages
    const rules = [{ ...phase?.rules[0], limit: { amount: '15000.00' } }, ...(phase?.rules.slice(1) ?? [])]
    const changed = { ...preset, stages: [{ ...phase, rules }, funded] }
    const draft = read(DraftedVersion, await admin.post(path, { terms: changed }))
    await tryDraft(admin, `${path}/2`)
    const published = await admin.post(`${path}/2/publish`, { hash: draft.hash })
    expect(published.status).toBe(200)
    const offers = read(Offer.array(), await portal.browser().get('/api/offers', after(published)))
    const terms = ({ size }: Offer) => offers.find((offer) => offer.size === size)?.oneStep
    expect(offers.map((offer) => terms(offer)?.maxDrawdown)).toEqual([10, 10, 10, 10, 10, 7.5])
    expect(offers.at(-1)?.oneStep).toMatchObject({ profitTarget: 10, maxDailyLoss: 5 })
  })
})

describe('a programme', () => {
  it('is drafted, tried, published and retired', async () => {
    const { id, version, state, hash } = await drafted()
    expect({ version, state, hash }).toEqual({ version: 1, state: 'draft', hash: hashOf(terms) })
    const path = `${PROGRAMMES}/${id}/versions/1`
    expect((await admin.get(`${path}/what-if`)).status).toBe(404)
    expect(await admin.post(`${path}/publish`, { hash })).toMatchObject({
      status: 409,
      body: { message: 'Run the what-if of these terms first' },
    })

    const trial = await admin.post(`${path}/what-if`)
    expect(trial.status).toBe(202)
    expect(read(WhatIf, await admin.get(`${path}/what-if`, after(trial)))).toEqual({
      state: 'done',
      hash,
      ...{ accounts: 0, compared: 0, differences: [] },
      counts: { breached: 0, notBreached: 0, passed: 0, notPassed: 0, payouts: 0 },
    })
    expect((await admin.post(`${path}/publish`, { hash: 'f'.repeat(64) })).status).toBe(409)
    const publication = await admin.post(`${path}/publish`, { hash })
    expect(publication.status).toBe(200)
    const seen = read(ProgrammeVersionAnswer, await admin.get(path, after(publication)))
    expect(seen).toMatchObject({ state: 'published', hash, terms })
    expect(seen.publishedBy).not.toBe('system')
    expect((await admin.patch(path, { terms: { ...terms, name: 'Another' } })).status).toBe(409)

    expect((await admin.post(`${path}/retire`)).status).toBe(200)
    expect((await admin.post(`${path}/retire`)).status).toBe(200)
    expect(await eventsOf(id)).toEqual(['ProgrammeDrafted', 'ProgrammeTried', 'ProgrammePublished', 'ProgrammeRetired'])
  })

  it('changes as a draft, and then needs its what-if again', async () => {
    const { id, hash } = await drafted()
    const path = `${PROGRAMMES}/${id}/versions/1`
    await admin.post(`${path}/what-if`)
    const other = { ...terms, breaches: 'automatically' }
    const changed = await admin.patch(path, { terms: other })
    expect(read(DraftedVersion, changed).hash).toBe(hashOf(other))
    expect((await admin.post(`${path}/publish`, { hash })).status).toBe(409)
    expect((await admin.post(`${path}/publish`, { hash: hashOf(other) })).status).toBe(409)
    await admin.post(`${path}/what-if`)
    expect((await admin.post(`${path}/publish`, { hash: hashOf(other) })).status).toBe(200)
  })

  it('gets further versions', async () => {
    const { id } = await drafted()
    const second = await admin.post(`${PROGRAMMES}/${id}/versions`, { terms: { ...terms, name: 'Autumn' } })
    expect(second.status).toBe(201)
    expect(read(DraftedVersion, second)).toMatchObject({ id, version: 2, state: 'draft' })
    const listed = read(ListedProgramme.array(), await admin.get(PROGRAMMES, after(second)))
    expect(listed.find((each) => each.id === id)).toMatchObject({
      name: 'Autumn',
      versions: [
        { version: 1, state: 'draft' },
        { version: 2, state: 'draft' },
      ],
    })
    const versionOf = async (version: number) =>
      read(ProgrammeVersionAnswer, await admin.get(`${PROGRAMMES}/${id}/versions/${version}`))
    expect((await versionOf(1)).changes).toBeNull()
    expect((await versionOf(2)).changes).toEqual([{ term: 'Name', before: terms.name, after: 'Autumn' }])
  })

  it('has its terms in plain words, and so has a draft that is being written', async () => {
    const { id } = await drafted()
    const words = termsInWords(terms)
    expect(words.stages[0]?.terms).toContainEqual({
      title: 'Profit target',
      text: '8% of the account size ($8,000.00) on the balance, with no open position',
    })
    expect(read(ProgrammeVersionAnswer, await admin.get(`${PROGRAMMES}/${id}/versions/1`)).words).toEqual(words)
    const preset = presetTerms('one-step', 200_000)
    const offered = read(OfferedProgramme, await portal.browser().get('/api/programmes/one-step-100000'))
    expect(offered.words).toEqual(termsInWords(presetTerms('one-step', 100_000)))
    const before = (await portal.events()).filter(({ stream }) => stream.startsWith('programme-')).length
    for (const who of [admin, await portal.member('auditor')]) {
      const answer = await who.post(`${PROGRAMMES}/words`, { terms: preset })
      expect([answer.status, answer.body]).toEqual([200, termsInWords(preset)])
    }
    const refused = await admin.post(`${PROGRAMMES}/words`, { terms: { ...preset, currency: 'EUR' } })
    expect(refused).toMatchObject({ status: 400, body: { errors: { 'terms.currency': expect.any(String) } } })
    expect((await (await portal.trader()).post(`${PROGRAMMES}/words`, { terms: preset })).status).toBe(401)
    expect((await portal.events()).filter(({ stream }) => stream.startsWith('programme-')).length).toBe(before)
  })

  it('that is faulty is not saved, and every fault is named at its place', async () => {
    const before = (await portal.events()).length
    const [phase, ...others] = terms.stages
    const faulty = {
      ...terms,
      currency: 'EUR',
      day: { zone: 'Europe/Atlantis', startsAt: '25:00' },
      stages: [{ ...phase, name: 'Phase \u202E1' }, ...others],
    }
    const answer = await admin.post(PROGRAMMES, { terms: faulty })
    expect(answer.status).toBe(400)
    const { errors } = answer.body as { errors: Record<string, string> }
    expect(Object.keys(errors)).toEqual([
      'terms.currency',
      'terms.day.zone',
      'terms.day.startsAt',
      'terms.stages[0].name',
    ])
    expect(errors['terms.stages[0].name']).toContain('U+202E')
    expect((await portal.events()).length).toBe(before)
  })

  it('does not exist under any other id', async () => {
    for (const path of [`${PROGRAMMES}/none/versions/1`, `${PROGRAMMES}/one-step-5000/versions/2`]) {
      expect((await admin.get(path)).status).toBe(404)
      expect((await admin.patch(path, { terms })).status).toBe(404)
      expect((await admin.post(`${path}/publish`, { hash: 'f'.repeat(64) })).status).toBe(404)
    }
    expect((await admin.post(`${PROGRAMMES}/NONE/versions`, { terms })).status).toBe(404)
  })

  it('is drafted and published by administrators only', async () => {
    const { id } = await drafted()
    for (const role of ['payouts', 'support', 'auditor'] as const) {
      const member = await portal.member(role)
      expect((await member.get(PROGRAMMES)).status).toBe(200)
      expect((await member.post(PROGRAMMES, { terms })).status).toBe(403)
      expect((await member.post(`${PROGRAMMES}/${id}/versions/1/what-if`)).status).toBe(403)
    }
    const trader = await portal.trader()
    expect((await trader.get(PROGRAMMES)).status).toBe(401)
  })
})
