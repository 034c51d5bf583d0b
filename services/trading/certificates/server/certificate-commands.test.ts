import { runsSeparately } from '#test-support/separate-services.ts'
import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Certificate, CERTIFICATE_FIELD, LARGEST_CERTIFICATE } from '../certificate-api.ts'
import { ErrorAnswer } from '#services/framework/api/error-schemas.ts'
import { System } from '#services/operations/installation/installation-api.ts'
import { runCommand } from '#test-support/command-line.ts'
import type { Answer } from '#test-support/http-client.ts'
import { after, pdf, read, type Upload, uploadCertificate } from '#test-support/http-calls.ts'
import { openPortal } from '#test-support/portal.ts'
import { storesFor } from '#test-support/portal-stores.ts'

const portal = await openPortal()
const admin = await portal.admin()
const auditor = await portal.auditor()
const owner = await portal.trader()
afterAll(() => portal.stop())

const upload = (change: Upload = {}): Promise<Answer> => uploadCertificate(admin, { userId: owner.id, ...change })
const issued = async () =>
  (await portal.events(`account-${owner.id}-a1`)).filter(({ type }) => type === 'CertificateIssued')
const storedFiles = async () => (await portal.files()).filter((name) => name.endsWith('.pdf'))
const auditVerify = async () =>
  runCommand(['audit', 'verify'], { DATA_DIR: portal.dataDir, ...(await storesFor(portal.dataDir)) })
const today = () => new Date().toISOString().slice(0, 10)

/** Checks a refusal with this message for this field, and that nothing was stored. */
async function refused(change: Upload, statuses: readonly number[], field: string, message: string): Promise<void> {
  const before = [await issued(), await storedFiles()].map(({ length }) => length)
  const answer = await upload(change)
  expect(answer.body).toMatchObject({ message, errors: { [field]: message } })
  expect(statuses).toContain(answer.status)
  expect([await issued(), await storedFiles()].map(({ length }) => length)).toEqual(before)
}

describe('a certificate upload', () => {
  it('issues a certificate to a user and records it', async () => {
    const file = pdf(2_345)
    const answer = await upload({ name: 'Phase 1 passed', issuedAt: '2026-01-31', file })
    expect(answer).toMatchObject({
      status: 201,
      body: { userId: owner.id, name: 'Phase 1 passed', issuedAt: '2026-01-31' },
    })
    const { id, fileUrl } = read(Certificate, answer)
    expect(fileUrl).toMatch(/^\/api\//)
    const sha256 = createHash('sha256').update(file).digest('hex')
    expect((await issued()).at(-1)).toMatchObject({
      data: { certificateId: id, name: 'Phase 1 passed', issuedAt: '2026-01-31', size: 2_345, sha256 },
      metadata: { actor: { kind: 'admin', label: 'ADMIN_ACCESS_KEY' }, requestId: answer.headers.get('x-request-id') },
    })
    const list = read(z.array(Certificate), await owner.get('/api/user/certificates', after(answer)))
    expect(list[0]).toEqual(answer.body)
  })

  it.each(['', '   '])('without a name (%j) is refused', async (name) => {
    await refused({ name }, [400], 'name', 'Certificate name is required')
  })

  it('without a file is refused', async () => {
    await refused({ file: null }, [400], CERTIFICATE_FIELD, 'Certificate PDF is required')
  })

  it('that is empty reports all missing fields, the name first', async () => {
    const answer = await admin.send('POST', '/api/admin/certificates', new FormData())
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message: 'Certificate name is required',
        errors: {
          name: 'Certificate name is required',
          userId: 'Required',
          [CERTIFICATE_FIELD]: 'Certificate PDF is required',
        },
      },
    })
  })

  it('of exactly 5 MB passes', async () => {
    const file = pdf(5 * 1024 * 1024)
    const answer = await upload({ file })
    expect(answer.status).toBe(201)
    const download = await admin.get(read(Certificate, answer).fileUrl)
    expect(download.bytes.equals(file)).toBe(true)
  })

  it('of one byte more is refused', async () => {
    await refused({ file: pdf(5 * 1024 * 1024 + 1) }, [400, 413], CERTIFICATE_FIELD, 'File size must be less than 5MB')
  })

  it('of 10 MB is refused', async () => {
    await refused(
      { file: pdf(2 * LARGEST_CERTIFICATE) },
      [400, 413],
      CERTIFICATE_FIELD,
      'File size must be less than 5MB',
    )
  })

  const noPdf = 'Only PDF files are accepted'
  it.each(['image/png', 'text/html', 'application/octet-stream', 'application/pdfx', ''])(
    'of the declared type %j is refused, whatever its name and bytes',
    (type) => refused({ type }, [400, 415], CERTIFICATE_FIELD, noPdf),
  )

  it.each(['certificate.png', 'certificate', 'certificate.pdf.exe', 'pdf', 'certificate.pdf '])(
    'of the file name %j is refused with any type and bytes',
    (fileName) => refused({ fileName }, [400, 415], CERTIFICATE_FIELD, noPdf),
  )

  it.each(['<html>%PDF-1.7', 'MZ\u0090\0', ' %PDF-1.7', '%PDF', '%pdf-1.7', ''])(
    'that begins with the bytes %j is refused, whatever its name and type',
    (begin) => refused({ file: Buffer.from(begin, 'latin1') }, [400, 415], CERTIFICATE_FIELD, noPdf),
  )

  it('accepts any file name and uses none of it', async () => {
    for (const fileName of ['CERT.PDF', 'свидетельство.pdf', '../../../etc/passwd.pdf', '.pdf'])
      expect((await upload({ fileName })).status, fileName).toBe(201)
    expect((await storedFiles()).filter((name) => !/^certificates\/[a-z0-9]+\/[0-9a-z]{16}\.pdf$/.test(name))).toEqual(
      [],
    )
  })

  it.each([undefined, ''])('with the issue date %j is issued today', async (issuedAt) => {
    const before = today()
    const certificate = read(Certificate, await upload({ issuedAt }))
    expect([before, today()]).toContain(certificate.issuedAt)
  })

  it.each(['31.01.2026', '2026-02-30', 'yesterday', '2026-13-01', '0'])(
    'with the issue date %j is refused',
    async (issuedAt) => {
      const before = await issued()
      expect(await upload({ issuedAt })).toMatchObject({
        status: 400,
        body: { errors: { issuedAt: expect.any(String) } },
      })
      expect(await issued()).toHaveLength(before.length)
    },
  )

  it.each(['nobody0000000000', 'x', '../../etc'])(
    'to the unknown user %j is answered 404 and stores no file',
    async (userId) => {
      const files = await storedFiles()
      expect((await upload({ userId })).status).toBe(404)
      expect(await storedFiles()).toHaveLength(files.length)
    },
  )

  it('must be a valid multipart form', async () => {
    const path = '/api/admin/certificates'
    expect((await admin.post(path, { name: 'x', userId: owner.id })).status).toBe(415)
    expect((await admin.send('POST', path, pdf(), { headers: { 'content-type': 'application/pdf' } })).status).toBe(415)
    expect(
      (await admin.send('POST', path, 'nonsense', { headers: { 'content-type': 'multipart/form-data' } })).status,
    ).toBe(400)
    const cut = '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nPhase'
    expect(
      (await admin.send('POST', path, cut, { headers: { 'content-type': 'multipart/form-data; boundary=b' } })).status,
    ).toBe(400)
    expect((await upload({ fileName: 'a\u0000b.pdf' })).status).toBe(400)
  })

  it('with a second file, or the file in another field, is refused', async () => {
    const form = new FormData()
    form.append('name', 'Two')
    form.append('userId', owner.id)
    for (const field of [CERTIFICATE_FIELD, 'another'])
      form.append(field, new Blob([pdf()], { type: 'application/pdf' }), 'a.pdf')
    expect((await admin.send('POST', '/api/admin/certificates', form)).status).toBe(400)
  })

  it('from another site is refused', async () => {
    const form = new FormData()
    form.append('name', 'Forged')
    form.append('userId', owner.id)
    form.append(CERTIFICATE_FIELD, new Blob([pdf()], { type: 'application/pdf' }), 'a.pdf')
    const headers = { origin: 'https://evil.example' }
    expect((await admin.send('POST', '/api/admin/certificates', form, { headers })).status).toBe(403)
  })

  it('is for administrators only', async () => {
    const before = await issued()
    expect((await uploadCertificate(auditor, { userId: owner.id })).status).toBe(403)
    expect((await uploadCertificate(owner, { userId: owner.id })).status).toBe(401)
    expect((await uploadCertificate(portal.browser(), { userId: owner.id })).status).toBe(401)
    expect(await issued()).toHaveLength(before.length)
  })

  it('repeated ten times at once stores ten certificates and files', async () => {
    const trader = await portal.trader()
    const sizes = Array.from({ length: 10 }, (_, n) => 1_000 + n)
    const answers = await Promise.all(
      sizes.map((size) => uploadCertificate(admin, { userId: trader.id, file: pdf(size) })),
    )
    const refusals = answers.filter(({ status }) => status !== 201)
    expect(refusals.map(({ status, text }) => `${status} ${text}`)).toEqual([])
    expect(new Set(answers.map((answer) => read(Certificate, answer).id)).size).toBe(10)
    const downloads = await Promise.all(answers.map((answer) => admin.get(read(Certificate, answer).fileUrl)))
    expect(downloads.map(({ bytes }) => bytes.length)).toEqual(sizes)
  })

  it('is mailed to its trader exactly once', async () => {
    const trader = await portal.trader()
    await uploadCertificate(admin, { userId: trader.id, name: 'Phase <2> & "more"' })
    await portal.mailed()
    const mails = await portal.mails(trader.email)
    expect(mails).toHaveLength(1)
    expect(mails[0]?.subject).toContain('Certificate issued')
    expect(mails[0]?.text).toContain('Phase <2> & "more"')
    expect(mails[0]?.html).toContain('Phase &lt;2&gt; &amp;')
    expect(mails[0]?.text).toContain(`/certificates?account=${trader.id}-a1\n`)
  })
})

describe('the list of certificates', () => {
  it("holds only the trader's own, newest first", async () => {
    const [trader, other] = [await portal.trader(), await portal.trader()]
    expect((await trader.get('/api/user/certificates')).body).toEqual([])
    const names = ['One', 'Two', 'Three']
    let last: Answer | undefined
    for (const name of names) last = await uploadCertificate(admin, { userId: trader.id, name })
    if (!last) throw new Error('Nothing was uploaded')
    const list = read(z.array(Certificate), await trader.get('/api/user/certificates', after(last)))
    expect(list.map(({ name }) => name)).toEqual(names.reverse())
    expect((await other.get('/api/user/certificates', after(last))).body).toEqual([])
  })
})

describe('a certificate file', () => {
  it('is returned unchanged to its owner, administrators and auditors', async () => {
    const file = Buffer.concat([pdf(100), Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))])
    const answer = await upload({ file })
    const { fileUrl } = read(Certificate, answer)
    for (const reader of [owner, admin, auditor]) {
      const download = await reader.get(fileUrl, after(answer))
      expect(download.status).toBe(200)
      expect(download.bytes.equals(file)).toBe(true)
      expect(download.headers.get('content-type')).toBe('application/pdf')
      expect(download.headers.get('content-length')).toBe(String(file.length))
      expect(download.headers.get('x-content-type-options')).toBe('nosniff')
      expect(download.headers.get('cache-control')).toBe('no-store')
      expect(download.headers.get('content-security-policy')).toContain('sandbox')
    }
  })

  // Each process lists what it has met.
  it.skipIf(runsSeparately)(
    'that was altered or is missing is not served, and raises the alarm until it is right again',
    async () => {
      const trader = await portal.trader()
      const file = pdf(300_000)
      const answer = await uploadCertificate(admin, { userId: trader.id, file })
      const { id, fileUrl } = read(Certificate, answer)
      const { fileStore } = portal.running.parts
      const key =
        (await portal.events(`account-${trader.id}-a1`))
          .flatMap((event) => (event.type === 'CertificateIssued' ? event.data.file : []))
          .at(-1) ?? ''
      const listed = async () =>
        read(System, await admin.get('/api/admin/system')).damagedFiles.filter(
          ({ certificateId }) => certificateId === id,
        )
      expect((await trader.get(fileUrl, after(answer))).status).toBe(200)

      const altered = Buffer.from(file)
      altered[200_000] = 0
      await fileStore.put(key, altered, 'application/pdf')
      const refused = await trader.get(fileUrl)
      expect(refused.status).toBe(500)
      expect(refused.text).not.toContain('%PDF')
      expect(read(ErrorAnswer, refused).message).toMatch(
        `The file of this certificate is not the one that was issued, so it is not shown. The firm has been alerted. If you contact it, quote this number: ${refused.headers.get('x-request-id')}`,
      )
      expect(await listed()).toMatchObject([{ certificateId: id, file: key, damage: 'altered' }])
      expect(await auditVerify()).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(`The file of certificate ${id} is altered: ${key}`),
      })

      await fileStore.removeAll(`certificates/${trader.id}/`)
      expect(read(ErrorAnswer, await trader.get(fileUrl)).message).toMatch(/^The file of this certificate is missing\./)
      expect(await listed()).toMatchObject([{ damage: 'missing' }])

      await fileStore.put(key, file, 'application/pdf')
      expect((await trader.get(fileUrl)).bytes.equals(file)).toBe(true)
      expect(await listed()).toEqual([])
      expect(await auditVerify()).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/Certificates: \d+\. Every file is the one that was issued\./),
      })
    },
  )

  // Each process lists what it has met.
  it.skipIf(runsSeparately)('of a deleted user is gone without an alarm', async () => {
    const trader = await portal.trader()
    const answer = await uploadCertificate(admin, { userId: trader.id })
    const { fileUrl } = read(Certificate, answer)
    const deleted = await admin.delete(`/api/admin/user/${trader.id}`)
    expect(deleted.status).toBe(200)
    expect((await admin.get(fileUrl, after(deleted))).status).toBe(404)
    expect((await auditVerify()).code).toBe(0)
  })

  it('of another trader is answered 404, without a session 401', async () => {
    const answer = await upload()
    const { fileUrl, id } = read(Certificate, answer)
    const other = await portal.trader()
    const missing = await other.get(`/api/certificates/${owner.id}-c99999/file`, after(answer))
    const foreign = await other.get(fileUrl, after(answer))
    expect(foreign).toMatchObject({ status: 404, body: { message: 'Certificate not found' } })
    expect([foreign.status, foreign.text]).toEqual([missing.status, missing.text])
    expect((await portal.browser().get(fileUrl)).status).toBe(401)
    for (const path of [`/api/certificates/${id}`, `/api/certificates/..%2f..%2fkeys.sqlite/file`])
      expect((await admin.get(path)).status, path).toBe(404)
    // Every other path is the app, which is no file of anybody.
    expect((await admin.get(`/files/certificates/${owner.id}`)).text).toBe((await admin.get('/nothing')).text)
  })

  it.each([
    ['Phase "1" passed', 'Phase _1_ passed.pdf'],
    ['Prüfung bestanden ✓ 合格', 'Pr_fung bestanden _ __.pdf'],
    ['a/b\\c', 'a_b_c.pdf'],
    ['100% sure; really', '100_ sure; really.pdf'],
    ["it's (the) *best*", "it's (the) *best*.pdf"],
    ['😀', '__.pdf'],
  ])('named %j keeps that name when it is saved', async (name, plain) => {
    const answer = await upload({ name })
    const download = await owner.get(read(Certificate, answer).fileUrl, after(answer))
    const disposition = download.headers.get('content-disposition') ?? ''
    const [, forOld, forAll = ''] =
      /^inline; filename="([^"]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]+)$/.exec(disposition) ?? []
    expect(forOld).toBe(plain)
    expect(decodeURIComponent(forAll)).toBe(`${name}.pdf`)
  })

  it.each(['line\r\nSet-Cookie: evil=1', 'tab\tand\nbreak', 'null\u0000byte'])('is never named %j', async (name) => {
    expect((await upload({ name })).status).toBe(400)
  })

  it('named with half of a pair adds no header and breaks no download', async () => {
    const answer = await upload({ name: 'half \ud83d of a pair' })
    expect(answer.status).toBe(201)
    const download = await owner.get(read(Certificate, answer).fileUrl, after(answer))
    expect(download.status).toBe(200)
    expect(download.headers.get('set-cookie')).toBeNull()
    expect(download.headers.get('content-disposition')).toMatch(
      /^inline; filename="[\x20-\x7e]*"; filename\*=UTF-8''[\x21-\x7e]+$/,
    )
  })
})
