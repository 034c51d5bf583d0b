import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { pdf, uploadCertificate } from '#test-support/http-calls.ts'
import { createUsers } from './admin-people.ts'
import { describeSite, type Visit } from './kit.ts'

describeSite('certificate administration', (site) => {
  const openForm = async ({ page }: Visit, id: string) => {
    await page.goto(`/admin/users?user=${id}`)
    await page.getByRole('button', { name: 'Upload Certificate' }).click()
    const dialog = page.getByRole('dialog', { name: 'Upload Certificate' })
    await dialog.waitFor()
    return dialog
  }
  const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })

  it('upload by keyboard and file chooser, and their owner downloads them', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader({ fullName: 'Edith Clarke' })
    const visit = await site.visit({ as: admin })
    const { page, expectToast } = visit
    const dialog = await openForm(visit, trader.id)
    // The browser intercepts file choosers some time after the listener is added: it must be there before the key.
    const choosing = page.waitForEvent('filechooser')
    await dialog.getByLabel('Certificate Name').focus()
    await page.keyboard.type('Phase 1 passed')
    await page.keyboard.press('Tab')
    await dialog.getByLabel('Certificate PDF').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    const chooser = await choosing
    await chooser.setFiles(file('phase-1.pdf', 'application/pdf', pdf()))
    await dialog.getByText('phase-1.pdf').waitFor()
    await page.keyboard.press('Tab')
    await dialog.getByLabel('Issue Date').fill('2026-03-14')
    await page.keyboard.press('Enter')
    await expectToast('Certificate uploaded')
    await dialog.waitFor({ state: 'detached' })
    const { body } = await trader.get('/api/user/certificates')
    const [certificate] = z.array(z.object({ name: z.string(), issuedAt: z.string(), fileUrl: z.string() })).parse(body)
    expect(certificate).toMatchObject({ name: 'Phase 1 passed', issuedAt: '2026-03-14' })
    expect((await trader.get(certificate?.fileUrl ?? '')).bytes.equals(pdf())).toBe(true)
  })

  it('upload by drag and drop, dated today without a date', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader({ fullName: 'Joan Clarke' })
    const visit = await site.visit({ as: admin })
    const { page, expectToast } = visit
    const dialog = await openForm(visit, trader.id)
    await dialog.getByLabel('Certificate Name').fill('Funded')
    const dropped = await page.evaluateHandle(
      (bytes) => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([new Uint8Array(bytes)], 'funded.pdf', { type: 'application/pdf' }))
        return transfer
      },
      [...pdf()],
    )
    const place = dialog.getByText('Drop the PDF here, or choose it')
    for (const kind of ['dragenter', 'dragover', 'drop']) await place.dispatchEvent(kind, { dataTransfer: dropped })
    await dialog.getByText('funded.pdf').waitFor()
    await dialog.getByRole('button', { name: 'Upload' }).click()
    await expectToast('Certificate uploaded')
    const { body } = await trader.get('/api/user/certificates')
    const [certificate] = z.array(z.object({ issuedAt: z.string() })).parse(body)
    expect(certificate?.issuedAt).toBe(new Date().toISOString().slice(0, 10))
  })

  it('show an error at the field without name or PDF, or above 5 MB, then upload progress, and why an upload failed', async () => {
    const admin = await site.portal.admin()
    const [person] = await createUsers(admin, ['Betty Holberton'])
    const visit = await site.visit({ as: admin })
    const { page, expectToast, allowStatus } = visit
    allowStatus(500, 502)
    const dialog = await openForm(visit, person?.id ?? '')
    const upload = dialog.getByRole('button', { name: 'Upload' })
    const chooser = dialog.getByLabel('Certificate PDF')
    await upload.click()
    await dialog.getByText('Certificate name is required', { exact: true }).waitFor()
    await dialog.getByText('Certificate PDF is required', { exact: true }).waitFor()
    await dialog.getByLabel('Certificate Name').fill('Phase 2 passed')
    await chooser.setInputFiles(file('picture.png', 'image/png', Buffer.from('no PDF')))
    await upload.click()
    await dialog.getByText('Only PDF files are accepted', { exact: true }).waitFor()
    expect(await chooser.getAttribute('aria-invalid')).toBe('true')
    await chooser.setInputFiles(file('large.pdf', 'application/pdf', pdf(5 * 1024 * 1024 + 1)))
    await upload.click()
    await dialog.getByText('File size must be less than 5MB', { exact: true }).waitFor()
    expect((await admin.get(`/api/admin/user/${person?.id}`)).status).toBe(200)

    await chooser.setInputFiles(file('phase-1.pdf', 'application/pdf', pdf()))
    const answers = [
      { status: 500, json: { message: 'The file store is away' } },
      { status: 500, json: {} },
      { status: 502, contentType: 'text/html', body: 'Bad gateway' },
    ]
    const messages = ['The file store is away', 'Failed to upload certificate', '502: Bad gateway']
    for (const [index, answer] of answers.entries()) {
      const seen = dialog.getByRole('progressbar', { name: 'Upload' }).waitFor()
      await page.route('**/api/admin/certificates', async (route) => {
        await seen
        await route.fulfill(answer)
      })
      await upload.click()
      await expectToast('Upload failed', messages[index])
      await page.unroute('**/api/admin/certificates')
    }
  })

  it('download with the same bytes', async () => {
    const admin = await site.portal.admin()
    const [person] = await createUsers(admin, ['Ruth Teitelbaum'])
    const visit = await site.visit({ as: admin })
    const dialog = await openForm(visit, person?.id ?? '')
    await dialog.getByLabel('Certificate Name').fill('Phase 1 passed')
    await dialog.getByLabel('Certificate PDF').setInputFiles(file('phase-1.pdf', 'application/pdf', pdf(20_000)))
    const [answer] = await Promise.all([
      visit.page.waitForResponse((response) => response.url().endsWith('/api/admin/certificates')),
      dialog.getByRole('button', { name: 'Upload' }).click(),
    ])
    const { fileUrl } = z.object({ fileUrl: z.string() }).parse(await answer.json())
    await visit.expectToast('Certificate uploaded')
    const [download] = await Promise.all([
      visit.page.waitForEvent('download'),
      visit.page.evaluate((url) => {
        const link = document.createElement('a')
        link.href = url
        link.download = ''
        link.click()
      }, fileUrl),
    ])
    expect((await readFile(await download.path())).equals(pdf(20_000))).toBe(true)
  })

  it('revoke with a reason, and say so in the list', async () => {
    const admin = await site.portal.admin()
    const trader = await site.portal.trader({ fullName: 'Mary Jackson' })
    await uploadCertificate(admin, { userId: trader.id, name: 'Phase 2 passed' })
    const { page, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await page.goto(`/admin/users?user=${trader.id}`)
    const list = page.getByRole('dialog', { name: 'Mary Jackson' }).getByRole('list', { name: 'Certificates' })
    await list.getByRole('button', { name: 'Revoke Phase 2 passed' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Revoke Phase 2 passed' })
    await dialog.getByLabel('Reason').fill('Issued by mistake')
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await expectToast('Certificate revoked')
    await list.getByText('Revoked', { exact: true }).waitFor()
    expect(await list.getByRole('button', { name: /^Revoke/ }).count()).toBe(0)
  })
})
