import { afterAll, expect, it } from 'vitest'
import { registration } from '#test-support/portal.ts'
import { startMailServer } from '#test-support/servers/mail-server.ts'
import { describeSite } from './kit.ts'

const mail = await startMailServer()

describeSite(
  'the System page, while the mail server takes no mail',
  (site) => {
    afterAll(() => mail.disconnect())

    it('says which mails wait, why and until when, and that the portal is degraded', async () => {
      const admin = await site.portal.admin()
      const email = 'rcpt-451-4.7.1@mail.example'
      expect((await site.portal.browser().post('/api/register', { ...registration, email })).status).toBe(201)
      const wide = await site.visit({ as: admin })
      await wide.open('/admin/system')
      const rows = wide.page.getByRole('table', { name: 'Waiting mails' }).locator('[data-row]')
      await expect
        .poll(async () => {
          await wide.page.reload()
          await wide.page.getByText('Last verification').waitFor()
          return rows.count()
        })
        .toBe(1)
      await rows.getByText('RCPT TO', { exact: false }).waitFor()
      await rows.getByText('451', { exact: false }).first().waitFor()
      await mail.disconnect()
      for (const width of [1280, 390]) {
        const { page, open, expectGoodLook } = await site.visit({ as: admin, width })
        await open('/admin/system')
        const figures = page.getByRole('group', { name: 'The system in figures' })
        await expect
          .poll(async () => {
            await page.reload()
            await figures.getByText(/^(Ready|Degraded)$/).waitFor()
            return figures.getByText('Degraded', { exact: true }).count()
          })
          .toBe(1)
        await page.getByRole('table', { name: 'Waiting mails' }).locator('[data-row]').first().waitFor()
        await expectGoodLook()
      }
    })
  },
  { environment: { SMTP_URL: mail.url.href } },
)
