import { expect, it } from 'vitest'
import { describeSite } from './kit.ts'

describeSite(
  'the first week of a firm',
  (site) => {
    it('is a list that follows what is true, with an honest test of mail', async () => {
      const admin = await site.portal.admin()
      const { page, open, expectGoodLook } = await site.visit({ as: admin })
      await open('/admin/dashboard')
      const card = page.locator('section').filter({ hasText: 'First week' })
      const step = (title: string) =>
        card.getByRole('listitem').filter({ has: page.getByRole('link', { name: title }) })
      await step('Mail server')
        .getByText(/nobody gets a mail\. Each goes into a file in /)
        .waitFor()
      await step("The firm's name").getByText('To do').waitFor()
      await expectGoodLook()

      await admin.patch('/api/admin/system/firm', { name: 'Northgate' })
      await step("The firm's name").getByText('Done').waitFor()

      await card.getByRole('button', { name: 'Send me a test' }).click()
      const dialog = page.getByRole('dialog', { name: 'Test Mail' })
      await dialog.getByLabel('Your address').fill('owner@northgate.example')
      await page.keyboard.press('Control+Enter')
      await dialog.getByRole('status').filter({ hasText: 'Nobody gets it.' }).waitFor()
      await expectGoodLook()
      await dialog.getByRole('button', { name: 'Cancel' }).click()

      await step('Account to pay from').getByRole('link').click()
      await page.getByText(/There is no mail server: nobody gets a mail\./).waitFor()
      await page.getByText('Written into files').waitFor()
      await page.locator('summary', { hasText: 'Components' }).click()
      await page.getByText('Only files').waitFor()
      await expectGoodLook()

      await open('/admin/dashboard')
      await card.getByRole('button', { name: 'Dismiss' }).click()
      await card.waitFor({ state: 'detached' })
      const support = await site.visit({ as: await site.portal.member('support') })
      await support.open('/admin/dashboard')
      await support.page.getByText('Recent Users').first().waitFor()
      expect(await support.page.getByText('First week').count()).toBe(0)
    })
  },
  { environment: { SMTP_URL: '' } },
)
