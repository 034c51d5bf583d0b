import { createHash } from 'node:crypto'
import { toPosition } from '#infra/event-store/event-store.ts'
import type { Document } from '#infra/read-model-store/read-model-store.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Certificate, CertificateShare } from '../certificate-api.ts'
import { certificates } from '../certificate-read-model.ts'
import { after, pdf, read, uploadCertificate } from '#test-support/http-calls.ts'
import type { Answer } from '#test-support/http-client.ts'
import { runsSeparately } from '#test-support/separate-services.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { askRaw } from '#test-support/raw-connection.ts'
import { seal } from '#test-support/small-firm.ts'
import { initialState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { limits } from '#services/framework/http/limits.ts'
import { withoutName } from './shared-certificate.ts'

const portal = await openPortal({ environment: { SEAL_SECONDS: '86400', FIRM_NAME: 'Blue <Sky> Trading' } })
const admin = await portal.admin()
const auditor = await portal.auditor()
afterAll(() => portal.stop())

const anyone = portal.browser()
const file = pdf(4_321)
const sha256 = createHash('sha256').update(file).digest('hex')

/** A trader with a certificate, and what can be done with it. */
async function withCertificate(name = 'Phase 1 passed, Ada Lovelace') {
  const trader = await portal.trader({ fullName: 'Ada Lovelace' })
  const issued = await uploadCertificate(admin, { userId: trader.id, name, issuedAt: '2026-01-31', file })
  const { id } = read(Certificate, issued)
  const share = (showsName: boolean) => trader.post(`/api/user/certificates/${id}/share`, { showsName })
  const end = () => trader.delete(`/api/user/certificates/${id}/share`)
  return { trader, id, share, end }
}

/** Writes into the read model, as an attacker would. */
async function forgeDocument(id: string, change: (document: Document) => Document): Promise<void> {
  const { documents } = portal.running.parts.readModelStore
  const collection = initialState(certificates).serving
  const stored = (await documents.read(collection, [id])).get(id)
  if (!stored?.document) throw new Error(`${id} is not in the read model`)
  const position = toPosition(String(Number(stored.position) + 1))
  const write = { id, document: change(stored.document), position, expected: stored.position }
  expect(await documents.write(collection, [write])).toEqual([])
}

const pathOf = (answer: Answer) => read(CertificateShare, answer).path
const listed = async (trader: Trader, change: Answer) =>
  read(z.array(Certificate), await trader.get('/api/user/certificates', after(change)))[0]

describe('the issuer of a certificate', () => {
  it('has the name that it had, and says how it is called today', async () => {
    const { share } = await withCertificate()
    const path = pathOf(await share(false))
    await admin.patch('/api/admin/system/firm', { name: 'Northgate' })
    expect((await anyone.get(path)).text).toContain(
      '<dd>Blue &#60;Sky&#62; Trading, which is called Northgate today</dd>',
    )
    const later = pathOf(await (await withCertificate()).share(false))
    expect((await anyone.get(later)).text).toContain('<dd>Northgate</dd>')
    expect((await anyone.get(later)).text).toContain('<title>Certificate · Northgate</title>')
    await admin.patch('/api/admin/system/firm', { name: '' })
    const { text } = await anyone.get(later)
    expect(text).toContain('<dd>Northgate, which is called Blue &#60;Sky&#62; Trading today</dd>')
    expect(text).toContain('Northgate issued this certificate and has not revoked it')
  })
})

describe('sharing a certificate', () => {
  it('is off at first, and makes a link with 128 random bits that the list shows', async () => {
    const { trader, id, share } = await withCertificate()
    const shared = await share(false)
    expect(shared).toMatchObject({ status: 200, body: { showsName: false } })
    expect(pathOf(shared)).toMatch(/^\/c\/[\w-]{22}$/)
    expect(await listed(trader, shared)).toMatchObject({ id, share: shared.body, revokedAt: null })
    const named = await share(true)
    expect(pathOf(named)).toBe(pathOf(shared))
    expect(await listed(trader, named)).toMatchObject({ share: { showsName: true } })
    const types = (await portal.events(`account-${trader.id}-a1`)).map(({ type }) => type)
    expect(types.filter((type) => type.includes('Shar'))).toEqual(['CertificateShared', 'CertificateShared'])
  })

  it('stores the code only encrypted, and its hash under a key of the installation', async () => {
    const { trader, share } = await withCertificate()
    const code = pathOf(await share(true)).slice(3)
    const stored: string[] = []
    for await (const page of portal.running.parts.eventStore.readStream(`account-${trader.id}-a1`))
      stored.push(...page.map(({ data }) => data))
    expect(stored.join()).not.toContain(code)
    expect(stored.join()).not.toContain(createHash('sha256').update(code).digest('hex'))
    expect(stored.join()).toContain(portal.running.parts.secrets.shareCodeHash(code))
  })

  it('is for the own certificates of a signed-in trader', async () => {
    const { id } = await withCertificate()
    const other = await portal.trader()
    for (const path of [id, `${other.id}-a1-c1`, 'x'].map((one) => `/api/user/certificates/${one}/share`)) {
      expect((await other.post(path, { showsName: true })).status).toBe(404)
      expect((await other.delete(path)).status).toBe(404)
      expect((await anyone.post(path, { showsName: true })).status).toBe(401)
    }
    expect((await other.post(`/api/user/certificates/${id}/share`, {})).status).toBe(400)
  })
})

describe('the page of a shared certificate', () => {
  it('says what was issued, when and by whom, and no name unless the trader chose so', async () => {
    const { trader, share } = await withCertificate()
    const shared = await share(false)
    const page = await anyone.get(pathOf(shared), after(shared))
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>Phase 1 passed, …</h1>')
    expect(page.text).toContain('31 January 2026')
    expect(page.text).toContain('Blue &#60;Sky&#62; Trading issued this certificate and has not revoked it.')
    expect(page.text).toContain(`data-sha256="${sha256}"`)
    expect(page.text).not.toMatch(/Ada|Lovelace|London|@example/)
    expect(page.text).not.toContain(trader.id)
    const headers = Object.fromEntries(page.headers)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
    })
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-[^;]+; style-src 'sha256-[^;]+; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(page.text).toContain('<meta name="robots" content="noindex, nofollow" />')
    const named = await share(true)
    const withName = await anyone.get(pathOf(named), after(named))
    expect(withName.text).toContain('<h1>Phase 1 passed, Ada Lovelace</h1>')
    expect(withName.text).toContain('<dd>Ada Lovelace</dd>')
  })

  it('has a receipt once the issue is sealed, and it names no one', async () => {
    const { share } = await withCertificate()
    const shared = await share(false)
    const path = pathOf(shared)
    expect((await anyone.get(path, after(shared))).text).toContain('Its receipt is here in a few minutes')
    expect((await anyone.get(`${path}/receipt`)).status).toBe(404)
    await seal(portal.running.parts)
    expect((await anyone.get(path)).text).toContain(`href="${path}/receipt"`)
    const receipt = await anyone.get(`${path}/receipt`)
    expect(receipt.headers.get('content-disposition')).toMatch(/^attachment; filename="certificate-\d+\.tlog-proof"$/)
    expect(receipt.text).toMatch(/^c2sp\.org\/tlog-proof@v1\nextra /)
    const extra = Buffer.from(/^extra (.*)$/m.exec(receipt.text)?.[1] ?? '', 'base64').toString()
    expect(extra).toContain('"CertificateIssued"')
    expect(extra).not.toMatch(/Ada|Lovelace/)
  })

  it('says that a certificate was revoked, and why only to its trader', async () => {
    const { trader, id, share } = await withCertificate()
    const path = pathOf(await share(false))
    expect((await trader.post(`/api/admin/certificates/${id}/revoke`, {})).status).toBe(401)
    const revoked = await admin.post(`/api/admin/certificates/${id}/revoke`, { reason: 'The trades were copied' })
    expect(revoked.status).toBe(200)
    const page = await anyone.get(path, after(revoked))
    expect(page.text).toMatch(/✗ Revoked on \d+ \w+ 20\d\d\./)
    expect(page.text).not.toMatch(/Valid|copied/)
    expect((await listed(trader, revoked))?.revokedAt).toEqual(expect.any(String))
    expect((await trader.get('/api/user/history?order=desc&limit=1')).body).toMatchObject([
      { type: 'CertificateRevoked', reason: 'The trades were copied' },
    ])
    expect((await portal.mailWith(trader.email, ({ subject }) => subject === 'Certificate revoked')).text).toContain(
      'The trades were copied',
    )
    expect((await admin.post(`/api/admin/certificates/${id}/revoke`, {})).status).toBe(409)
    // Staff see the revocation, and not the link.
    const seen = await auditor.get(`/api/admin/user/${trader.id}/certificates`, after(revoked))
    expect(seen.body).toMatchObject([{ id, revokedAt: expect.any(String), share: null }])
    expect((await auditor.post(`/api/admin/certificates/${id}/revoke`, {})).status).toBe(403)
    expect((await auditor.get('/api/admin/user/nobody0000000000/certificates')).status).toBe(404)
    expect((await trader.get(`/api/admin/user/${trader.id}/certificates`)).status).toBe(401)
    expect((await admin.post(`/api/admin/certificates/${trader.id}-c9/revoke`, {})).status).toBe(404)
  })

  it('says that its holder is banned, and not why', async () => {
    const { trader, share } = await withCertificate()
    const path = pathOf(await share(false))
    const ban = (banned: boolean) =>
      admin.patch(`/api/admin/user/${trader.id}/ban`, { banned, ...(banned && { banReason: 'Copied trades' }) })
    const page = await anyone.get(path, after(await ban(true)))
    expect(page.text).toContain('✗ The holder is banned.')
    expect(page.text).not.toMatch(/Valid|Copied/)
    expect((await anyone.get(path, after(await ban(false)))).text).toContain('✓ Valid.')
  })

  it('names no issuer of the request: only what the operator has set', async () => {
    const nameless = await openPortal({ environment: { SEAL_SECONDS: '86400' } })
    const trader = await nameless.trader()
    const { id } = read(Certificate, await uploadCertificate(await nameless.admin(), { userId: trader.id }))
    const shared = await trader.post(`/api/user/certificates/${id}/share`, { showsName: false })
    const host = 'famous-firm.example'
    const headers = { Host: host, 'X-Forwarded-Host': host, ...after(shared).headers }
    const { status, body } = await askRaw(nameless.url, 'GET', pathOf(shared), headers)
    // A relay before separate services has an address, which their operator has set.
    const issuer = runsSeparately ? new URL(nameless.url).host : 'The firm'
    expect([status, body]).toEqual([200, expect.stringContaining(`${issuer} issued this certificate`)])
    expect(body).not.toContain('famous-firm')
    await nameless.stop()
  })

  it('shows what the log holds, whatever was written into the read model', async () => {
    const { trader, id, share } = await withCertificate()
    const path = pathOf(await share(false))
    await anyone.get(path, await portal.atEnd())
    const forgedFile = pdf(9_999)
    const forged = createHash('sha256').update(forgedFile).digest('hex')
    await forgeDocument(id, (document) => ({ ...document, sha256: forged, size: forgedFile.length, revokedAt: null }))
    const page = await anyone.get(path, await portal.atEnd())
    expect(page.text).toContain(`data-sha256="${sha256}"`)
    expect(page.text).not.toContain(forged)
    // The forged file, in place of the real one, is not served either.
    const { fileStore } = portal.running.parts
    const key = (await portal.events(`account-${trader.id}-a1`))
      .flatMap((event) => (event.type === 'CertificateIssued' ? [event.data.file] : []))
      .at(0)
    await fileStore.put(key ?? '', forgedFile, 'application/pdf')
    const download = await trader.get(`/api/certificates/${id}/file`)
    expect(download.status).toBe(500)
    expect(download.text).not.toContain('%PDF')
    // Nor is another file that the read model names.
    await fileStore.put(`${key}.forged`, forgedFile, 'application/pdf')
    await forgeDocument(id, (document) => ({ ...document, file: `${key}.forged` }))
    expect((await trader.get(`/api/certificates/${id}/file`)).status).toBe(500)
  })

  it('is the same calm 404 for links that never were, that ended, and of deleted people', async () => {
    const ended = await withCertificate()
    const endedPath = pathOf(await ended.share(true))
    const end = await ended.end()
    expect(end.status).toBe(200)
    const deleted = await withCertificate()
    const shared = await deleted.share(true)
    const deletedPath = pathOf(shared)
    expect((await anyone.get(deletedPath, after(shared))).status).toBe(200)
    const deletion = await admin.delete(`/api/admin/user/${deleted.trader.id}`)
    const unknown = await anyone.get('/c/AAAAAAAAAAAAAAAAAAAAAA')
    expect(unknown.status).toBe(404)
    expect(unknown.text).toContain('There is no certificate here')
    for (const path of [
      endedPath,
      deletedPath,
      '/c/x',
      `${endedPath}/receipt`,
      `${deletedPath}/receipt`,
      '/c/AAAAAAAAAAAAAAAAAAAAAA/receipt',
    ]) {
      const page = await anyone.get(path, after(deletion))
      expect([path, page.status, page.text, page.headers.get('cache-control')]).toEqual([
        path,
        404,
        unknown.text,
        'no-store',
      ])
    }
    const again = await ended.share(true)
    expect(pathOf(again)).not.toBe(endedPath)
    expect((await anyone.get(endedPath, after(again))).status).toBe(404)
    // The read model has nothing left that the link could find.
    const { documents } = await createReadModels(portal.running.parts.readModelStore).find(certificates, {
      where: { userId: deleted.trader.id },
      limit: 10,
    })
    expect(documents).toMatchObject([{ codeHash: null, share: null }])
  })

  it('is limited for each network', async () => {
    const { attempts } = limits.attempts.sharedCertificateNetwork
    const other = await openPortal()
    const client = other.browser()
    for (let n = 0; n < attempts; n += 50) await Promise.all(Array.from({ length: 50 }, () => client.get('/c/x')))
    const refused = await client.get('/c/x')
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(refused.text).toContain('Too many requests')
    await other.stop()
  })
})

describe('a name in the title of a certificate', () => {
  it.each([
    ['Phase 1 passed by Ada Lovelace', 'Ada Lovelace', 'Phase 1 passed by …'],
    ['ADA passed; adaptive, Lovelace’s', 'Ada Lovelace', '… passed; adaptive, …’s'],
    ['Prüfung von Zoë (Ö.) bestanden', 'Zoë Ö.', 'Prüfung von … (….) bestanden'],
    ['a+b (c)', '(c) a+b', '…+… (…)'],
    ['Certificate of JOSE', 'José', 'Certificate of …'],
    ['Zertifikat Lovelaces, Lovelaceson', 'Ada Lovelace', 'Zertifikat …, Lovelaceson'],
    ['Limit passed', 'Bo Lim', 'Limit passed'],
    ['Phase 1', ' ', 'Phase 1'],
  ])('%j of %j is left out: %j', (title, fullName, left) => {
    expect(withoutName(title, fullName)).toBe(left)
  })
})
