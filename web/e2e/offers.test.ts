import { expect, it } from 'vitest'
import { programOf } from '#test-support/http-calls.ts'
import { describeSite } from './kit.ts'
import { tradingAccount } from './trading.ts'

describeSite('offers', (site) => {
  it('are set by staff, and the page sells those and nothing else', async () => {
    const { admin, trader: buyer } = await tradingAccount(site.portal)
    const staff = await site.visit({ as: admin })
    const trader = await site.visit({ as: buyer })
    const buy = (size: string) => trader.page.getByRole('link', { name: `Buy ${size} Account` })
    await trader.open('/account-sizes')
    await buy('$5,000').waitFor()
    expect(await trader.page.getByRole('tab').count()).toBe(2)

    await staff.open('/admin/programmes')
    const { page, expectToast, expectGoodLook } = staff
    const table = page.getByRole('table', { name: 'Offers' })
    await page.getByText('None are set: the page shows the standard challenges').waitFor()
    await page.getByRole('button', { name: 'Offer All 12 Programmes' }).click()
    await expectToast('12 offers added', 'The page to buy an account sells what this list has.')
    // The default of PURCHASE_URL is an example: nothing has a link.
    await table.getByText('Hidden: no link').nth(11).waitFor()
    await trader.page.getByText('Nothing is for sale now').waitFor()
    await trader.expectGoodLook()

    const open = async (name: string, item: string) => {
      await page.getByRole('button', { name: `Actions for the offer of ${name}` }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    const price = async (name: string, text: string, link: string) => {
      await open(name, 'Change Price and Link')
      const dialog = page.getByRole('dialog', { name: 'Change Offer' })
      await dialog.getByLabel('Price').fill(text)
      await dialog.getByLabel('Purchase link').fill(link)
      await dialog.getByRole('button', { name: 'Save Changes' }).click()
      return dialog
    }
    const dialog = await price('One-Step 5K', '$49, once', 'http://shop.firm.com/5k')
    await dialog.getByText('Please enter an address that begins with https://').waitFor()
    await expectGoodLook()
    await dialog.getByLabel('Purchase link').fill('https://shop.firm.com/5k')
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectToast('Offer changed', 'One-Step 5K')
    await (await price('One-Step 10K', '', 'https://shop.firm.com/10k')).waitFor({ state: 'hidden' })
    await trader.page.getByText('$49, once').waitFor()
    expect(await buy('$5,000').getAttribute('href')).toBe('https://shop.firm.com/5k')
    await buy('$10,000').waitFor()
    expect(await trader.page.getByRole('link', { name: /^Buy \$.* Account$/ }).count()).toBe(2)

    await open('One-Step 10K', 'Move Up')
    await expect
      .poll(() => trader.page.getByRole('link', { name: /^Buy \$.* Account$/ }).allInnerTexts())
      .toEqual(['Buy $10,000 Account', 'Buy $5,000 Account'])

    // A retired programme is off the page.
    expect((await admin.post('/api/admin/programmes/one-step-5000/versions/1/retire')).status).toBe(200)
    await buy('$5,000').waitFor({ state: 'hidden' })
    await table.getByText('Hidden: retired').waitFor()
    await trader.expectGoodLook()
    await open('One-Step 10K', 'Remove')
    await page.getByRole('button', { name: 'Remove Offer' }).click()
    await trader.page.getByText('Nothing is for sale now').waitFor()
    await expectGoodLook()
  })

  it('that cannot be taken any more are a task: who has paid is enrolled, and found by the order', async () => {
    const { admin } = await tradingAccount(site.portal)
    const shop = await programOf(site.portal, admin, { name: 'Shop', scopes: ['enrolments'] })
    await admin.post('/api/admin/programmes/two-step-5000/versions/1/retire')
    const bought = { email: 'grace@example.com', fullName: 'Grace Hopper', programme: 'two-step-5000' }
    for (const order of ['WC-2001', 'WC-2002'])
      expect((await shop.post('/api/enrolments', { order, ...bought })).status).toBe(409)
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/tasks')
    const table = page.getByRole('table', { name: 'Tasks' })
    await table.getByText('Order WC-2002, grace@example.com').waitFor()
    await page.getByLabel('Search').fill('wc-2001')
    await table.getByText('Order WC-2002').waitFor({ state: 'hidden' })
    await table.getByText('The programme is retired.').waitFor()
    await expectGoodLook()
    await table.getByRole('button', { name: /^Settle ?: Grace Hopper$/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Order WC-2001' })
    await dialog.getByLabel('Programme').selectOption({ label: 'Two-Step 10K' })
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Enrol Buyer' }).click()
    await expectToast('Buyer enrolled', 'Order WC-2001 of Grace Hopper.')
    await table.getByText('Enrolled by staff.').waitFor()

    await page.getByLabel('Search').fill('WC-2002')
    await table.getByRole('button', { name: /^Settle ?: Grace Hopper$/ }).click()
    const other = page.getByRole('dialog', { name: 'Order WC-2002' })
    await other.getByLabel('What to do').selectOption('dismiss')
    await other.getByLabel('Reason').fill('Refunded on 3 March')
    await expectGoodLook()
    await other.getByRole('button', { name: 'Settle' }).click()
    await table.getByText('Dismissed. Refunded on 3 March').waitFor()

    await open('/admin/users?search=WC-2001')
    await page.getByRole('table', { name: 'Users' }).getByText('Grace Hopper').click()
    await page.getByText('order WC-2001').waitFor()

    // Somebody who is deleted while another order waits.
    expect((await shop.post('/api/enrolments', { order: 'WC-2003', ...bought })).status).toBe(409)
    await open('/admin?search=grace%40example.com')
    await page.getByRole('button', { name: /^Delete/ }).click()
    const deletion = page.getByRole('alertdialog', { name: 'Delete Grace Hopper' })
    await deletion.getByText('Paid, and not enrolled: order WC-2003.', { exact: false }).waitFor()
    await expectGoodLook()
    await deletion.getByRole('button', { name: 'Delete' }).click()
    await expectToast('User deleted')
    await open('/admin/tasks')
    await table.getByText('The user with this email was deleted: say what became of the money.').waitFor()
    await table.getByRole('button', { name: /^Settle ?: Grace Hopper$/ }).click()
    await page.getByRole('dialog', { name: 'Order WC-2003' }).getByLabel('Reason').waitFor()
  })
})
