import { expect, it } from 'vitest'
import { describeSite, type Visit } from './kit.ts'
import { tradingAccount } from './trading.ts'

/**
 * Why something was decided: from the administrator's dialog to the trader's dashboard, and back when it was a mistake.
 */
describeSite('reasons of decisions', (site) => {
  const evidence = {
    rule: 'overall-loss',
    limit: '10%',
    value: '-$1,012.40 in all',
    occurredAt: '2026-03-03T14:07:00Z',
  }

  const menu = async ({ page }: Visit, item: string) => {
    await page.getByRole('button', { name: 'Actions for Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }

  it('reach the trader from the breach dialog, and so does the correction', async () => {
    const { trader, admin } = await tradingAccount(site.portal)
    const desk = await site.visit({ as: admin })
    await desk.open(`/admin/users?search=${encodeURIComponent(trader.email)}`)
    await menu(desk, 'Set Breached')
    const dialog = desk.page.getByRole('dialog', { name: 'Set Breached' })
    await dialog.getByText('The trader reads all of this on the dashboard', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Set Breached' }).click()
    await dialog.getByText('Please enter the value that broke it').waitFor()
    await dialog.getByLabel('Rule', { exact: true }).selectOption('Daily Drawdown')
    expect(await dialog.getByLabel('Limit', { exact: true }).inputValue()).toBe('5% / $500')
    await dialog.getByLabel('Value that broke it').fill('-$512.40')
    await dialog.getByLabel('When it happened').fill('2026-03-03T14:07')
    await dialog.getByLabel('Reason').fill('The daily drawdown was exceeded')
    desk.allowStatus(409)
    await dialog.getByRole('button', { name: 'Set Breached' }).click()
    await dialog
      .getByText('The record says $0.00 lost on that day (UTC), of a limit of $500.00.', { exact: false })
      .waitFor()
    await dialog.getByLabel('Does the record show it?').selectOption('No, and the reason says why')
    await dialog.getByRole('button', { name: 'Set Breached' }).click()
    await desk.expectToast('User status updated')
    await dialog.waitFor({ state: 'detached' })
    await desk.page.locator('tbody [data-row]').getByText('Breached', { exact: true }).waitFor()

    const home = await site.visit({ as: trader })
    const listening = home.page.waitForResponse('**/api/live*')
    await home.open('/')
    await listening
    await home.page.getByRole('link', { name: 'Why this status' }).click()
    const why = home.page.getByRole('dialog', { name: 'Why this account is Breached' })
    for (const text of ['The daily drawdown was exceeded', '-$512.40', '3 Mar 2026, 14:07:00 UTC'])
      await why.getByText(text, { exact: true }).waitFor()
    const moment = why.getByRole('region', { name: 'Your account when this was decided' })
    for (const text of ['Breached', '$9,880.00', '5% / $500']) await moment.getByText(text, { exact: true }).waitFor()
    const stamp = (await why.getByText(/^#\d+ · /).innerText()).split(' ')[0] ?? ''
    // The address shows the same later.
    await home.page.reload()
    await why.waitFor()
    await home.page.keyboard.press('Escape')
    await why.waitFor({ state: 'detached' })

    await menu(desk, 'Set Active')
    const reversal = desk.page.getByRole('dialog', { name: 'Set Active' })
    await reversal.getByLabel('Was the breach a mistake?').selectOption(`Yes, this corrects ${stamp}`)
    await reversal.getByRole('button', { name: 'Set Active' }).click()
    await reversal.getByText('Please provide a reason').waitFor()
    await reversal.getByLabel('Reason').fill('The price came from a broken feed')
    await reversal.getByRole('button', { name: 'Set Active' }).click()
    await desk.expectToast('User status updated')

    // The trader's page hears of it.
    await home.page.getByText('Active', { exact: true }).first().waitFor()
    await home.page.getByRole('link', { name: 'Why this status' }).click()
    const corrected = home.page.getByRole('dialog', { name: 'Why this account is Active' })
    await corrected.getByText('The price came from a broken feed', { exact: true }).waitFor()
    const old = corrected.getByRole('region', { name: `This corrects ${stamp}` })
    for (const text of ['The daily drawdown was exceeded', '-$512.40'])
      await old.getByText(text, { exact: true }).waitFor()
  })

  it('are required in the user form when a change needs one', async () => {
    const { trader, admin } = await tradingAccount(site.portal)
    const { page, expectToast, expectAccessible } = await site.visit({ as: admin })
    await page.goto(`/admin/users?user=${trader.id}&form=edit`)
    const dialog = page.getByRole('dialog', { name: 'Edit User' })
    await dialog.getByLabel('Account Status').selectOption('Under Review')
    await dialog.getByLabel('Overall Loss Limit').fill('8%')
    await dialog.getByRole('group', { name: 'Why' }).waitFor()
    await expectAccessible()
    await dialog.getByLabel('Reason').fill('Trades of two accounts are alike')
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectToast('User updated')
    const home = await site.visit({ as: trader })
    await home.page.goto('/?why=limits')
    await home.page
      .getByRole('dialog', { name: 'Why these limits' })
      .getByText('Trades of two accounts are alike', { exact: true })
      .waitFor()
    // Only this limit was changed: the others name the decisions that set them.
    await home.page.goto('/')
    await home.page.getByRole('link', { name: 'Why this Maximum Loss' }).click()
    await home.page
      .getByRole('dialog', { name: 'Why this Maximum Loss' })
      .getByText('Trades of two accounts are alike', { exact: true })
      .waitFor()
    await home.page.keyboard.press('Escape')
    expect(await home.page.getByRole('link', { name: /^Why this (Daily Drawdown|Profit Target)$/ }).count()).toBe(0)
    await home.page.goto('/?why=status')
    await home.page
      .getByRole('dialog', { name: 'Why this account is Under Review' })
      .getByText('Trades of two accounts are alike', { exact: true })
      .waitFor()
  })

  it('report a state that cannot be loaded and retry', async () => {
    const { trader, change } = await tradingAccount(site.portal)
    await change({ status: 'breached' })
    const { page, allowStatus } = await site.visit({ as: trader })
    allowStatus(404)
    await page.route('**/api/user/history/state?*', (route) =>
      route.fulfill({ status: 404, json: { message: 'Not there' } }),
    )
    await page.goto('/?why=status')
    const why = page.getByRole('dialog', { name: 'Why this account is Breached' })
    await why.getByText('No reason was recorded. Please ask support.').waitFor()
    await why.getByText('The account at that moment could not be loaded').waitFor()
    await page.unroute('**/api/user/history/state?*')
    await why.getByRole('button', { name: 'Try again' }).click()
    await why.getByText('$9,880.00', { exact: true }).waitFor()
  })

  it('is accessible and fits in both themes, on desktop and phone', async () => {
    const { trader, admin, change } = await tradingAccount(site.portal)
    const breach = {
      status: 'breached',
      reason: 'The overall loss limit was exceeded',
      evidence: { ...evidence, offRecord: true },
    }
    await change(breach)
    const home = await site.visit({ as: trader })
    const show = async (title: string) => {
      await home.page.goto('/?why=status')
      const why = home.page.getByRole('dialog', { name: title })
      await why.getByText('$9,880.00', { exact: true }).waitFor()
      await home.expectGoodLook()
      await home.expectNoSidewaysScroll(320)
      return (
        await why
          .getByText(/^#\d+ · /)
          .first()
          .innerText()
      )
        .slice(1)
        .split(' ')[0]
    }
    const number = await show('Why this account is Breached')
    const desk = await site.visit({ as: admin })
    for (const [form, title, field] of [
      ['active', 'Set Active', 'Was the breach a mistake?'],
      ['under-review', 'Set Under Review', 'Reason'],
    ] as const) {
      await desk.page.goto(`/admin/users?user=${trader.id}&form=${form}`)
      const dialog = desk.page.getByRole('dialog', { name: title })
      await dialog.getByLabel(field).waitFor()
      await dialog.getByRole('button', { name: title }).click()
      await dialog.getByText('Please say whether the breach was a mistake').waitFor()
      await desk.expectGoodLook()
    }
    await change({ status: 'active', reason: 'The price came from a broken feed', corrects: Number(number) })
    await desk.page.goto(`/admin/users?user=${trader.id}&form=breached`)
    const dialog = desk.page.getByRole('dialog', { name: 'Set Breached' })
    await dialog.getByRole('button', { name: 'Set Breached' }).click()
    await dialog.getByText('Please select the rule').waitFor()
    await dialog.getByLabel('When it happened').waitFor()
    await desk.expectGoodLook()
    await desk.expectNoSidewaysScroll(320)
    await show('Why this account is Active')
  })
})
