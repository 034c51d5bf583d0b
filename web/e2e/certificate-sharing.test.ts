import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { pdf, uploadCertificate } from '#test-support/http-calls.ts'
import { seal } from '#test-support/small-firm.ts'
import { describeSite, narrowWidths } from './kit.ts'

const FRAME = join(import.meta.dirname, '../../dist/certificate/certificate.html')
const folder = mkdtempSync(join(tmpdir(), 'proofdesk-certificate-'))
afterAll(() => rmSync(folder, { recursive: true }))

const saved = (name: string, bytes: Buffer): string => {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

describeSite(
  'a shared certificate',
  (site) => {
    it('is shared by keyboard, seen by anyone, and gone when sharing ends', async () => {
      const trader = await site.portal.trader({ fullName: 'Edith Clarke' })
      const admin = await site.portal.admin()
      const original = pdf(9_000)
      await uploadCertificate(admin, {
        userId: trader.id,
        name: 'Phase 1 passed by Edith Clarke',
        issuedAt: '2026-03-14',
        file: original,
      })
      await seal(site.portal.running.parts)
      const owner = await site.visit({ as: trader })
      await owner.open('/certificates')
      await owner.page.getByRole('button', { name: 'Share Phase 1 passed by Edith Clarke' }).focus()
      await owner.page.keyboard.press('Enter')
      const dialog = owner.page.getByRole('dialog', { name: 'Share Phase 1 passed by Edith Clarke' })
      expect(await dialog.getByRole('checkbox').isChecked()).toBe(false)
      await owner.expectGoodLook()
      await dialog.getByRole('button', { name: 'Create Link' }).focus()
      await owner.page.keyboard.press('Enter')
      const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
      expect(link).toMatch(new RegExp(`^${site.portal.url}/c/[\\w-]{22}$`))
      await dialog.getByRole('img', { name: /^QR code/ }).waitFor()
      await owner.expectGoodLook()
      await owner.expectNoSidewaysScroll(...narrowWidths)

      const stranger = await site.visit()
      const { page } = stranger
      const path = new URL(link).pathname
      await stranger.open(path)
      await page.getByRole('heading', { name: 'Phase 1 passed by …' }).waitFor()
      await page.getByText(/^✓ Valid\. Blue Sky Trading issued this certificate and has not revoked it\./).waitFor()
      expect(await page.locator('body').innerText()).not.toMatch(/Edith|Clarke/)
      const verdict = page.getByRole('status')
      await page.getByLabel('Drop the PDF here, or choose it').setInputFiles(saved('mine.pdf', original))
      await verdict.filter({ hasText: '✓ mine.pdf is this certificate: exactly the file that was issued.' }).waitFor()
      await stranger.expectGoodLook()
      const changed = Buffer.from(original)
      changed[8_999] = 0
      const dropped = await page.evaluateHandle(
        (bytes) => {
          const transfer = new DataTransfer()
          transfer.items.add(new File([new Uint8Array(bytes)], 'changed.pdf'))
          return transfer
        },
        [...changed],
      )
      await page.locator('#drop').dispatchEvent('drop', { dataTransfer: dropped })
      await verdict.filter({ hasText: /^✗ changed\.pdf is not this certificate\./ }).waitFor()
      await stranger.expectGoodLook()
      await stranger.expectNoSidewaysScroll(...narrowWidths)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download the receipt' }).click(),
      ])
      expect(readFileSync(await download.path(), 'utf8')).toMatch(/^c2sp\.org\/tlog-proof@v1\n/)

      await dialog.getByRole('checkbox', { name: 'Show my name on the page' }).check()
      await expect
        .poll(
          async () => (
            await stranger.open(path),
            page.getByRole('definition').filter({ hasText: 'Edith Clarke' }).count()
          ),
        )
        .toBe(1)
      await dialog.getByRole('button', { name: 'Stop Sharing' }).click()
      await owner.expectToast('No longer shared')
      await dialog.getByRole('button', { name: 'Create Link' }).waitFor()
      stranger.allowStatus(404)
      await stranger.open(path)
      await page.getByRole('heading', { name: 'There is no certificate here' }).waitFor()
      await stranger.expectGoodLook()
      await owner.page.keyboard.press('Escape')
      await owner.page
        .locator(':focus')
        .and(owner.page.getByRole('button', { name: 'Share Phase 1 passed by Edith Clarke' }))
        .waitFor()
    })

    it('has a page of one small file that loads nothing', () => {
      const frame = readFileSync(FRAME, 'utf8')
      expect(statSync(FRAME).size).toBeLessThan(20_000)
      expect(frame).not.toMatch(/\bsrc=|<link|\bfetch\(|\bimport\(|\beval\(/)
    })
  },
  { environment: { SEAL_SECONDS: '86400', FIRM_NAME: 'Blue Sky Trading' } },
)
