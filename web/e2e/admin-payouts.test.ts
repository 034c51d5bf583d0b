import { expect, it } from 'vitest'
import { until } from '#test-support/until.ts'
import { traderWithRequests, payoutsOf } from './admin-people.ts'
import { describeSite, hold } from './kit.ts'

const amounts = (count: number) => Array.from({ length: count }, (_, index) => `${100 + index}.00`)

describeSite('payout decisions', (site) => {
  it('are made on ten pending requests by keyboard alone', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Grace Hopper', amounts(10))
    const { page, open, expectToast } = await site.visit({ as: admin })
    await open(`/admin/payouts?status=pending&of=${trader.id}`)
    const rows = page.locator('tbody [data-row]')
    await rows.nth(9).waitFor()
    // From the top of the page to the first row with one key, and on to the next and back.
    const onRow = () => page.evaluate(() => document.activeElement?.hasAttribute('data-row') === true)
    for (const [key, row] of [
      ['j', 0],
      ['j', 1],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key)
      await rows.nth(row).and(page.locator(':focus')).waitFor()
    }
    for (let left = 10; left > 2; left -= 1) {
      await page.keyboard.press('a')
      const dialog = page.getByRole('dialog', { name: 'Approve payout' })
      await dialog.getByRole('region', { name: 'Approve payout' }).and(page.locator(':focus')).waitFor()
      // Nothing that pays has the focus: Enter alone does nothing.
      await page.keyboard.press('Enter')
      await dialog.getByText('The account has no profit: $0.00.').waitFor()
      await page.keyboard.press('Control+Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await until(onRow, 'the focus to be on the next row')
      await until(async () => (await rows.count()) === left - 1, `${left - 1} rows`)
    }
    await expectToast('Payout approved successfully')
    for (const left of [2, 1]) {
      await page.keyboard.press('r')
      await page
        .getByRole('dialog', { name: 'Reject payout' })
        .getByLabel('Admin Notes')
        .and(page.locator(':focus'))
        .waitFor()
      await page.keyboard.type('Please send a proof of address')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await until(async () => (await rows.count()) === left - 1, `${left - 1} rows`)
    }
    await page.getByText('No payout requests found').waitFor()
    // The last row took the focus with it: it is where the rows were, not at the beginning of the page.
    await page.getByRole('table', { name: 'Payout requests' }).and(page.locator(':focus')).waitFor()
    const verdicts = await payoutsOf(trader)
    expect(verdicts.filter(({ status }) => status === 'approved')).toHaveLength(8)
    expect(verdicts.filter(({ adminNotes }) => adminNotes === 'Please send a proof of address')).toHaveLength(2)
  })

  it('are made on several requests at once, with a preview, and with a report of those that failed', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Hedy Lamarr', ['11.00', '12.00', '13.00'])
    const { page, open, allowStatus, expectGoodLook } = await site.visit({ as: admin })
    allowStatus(409)
    await open(`/admin/payouts?of=${trader.id}`)
    await page.getByRole('link', { name: /^Payouts \d+ pending$/ }).waitFor()
    await page.getByText('waits less than an hour').first().waitFor()
    await page.getByLabel('Select all 3 pending on this page').check()
    await page.getByLabel('Select the payout of $12.00 to Hedy Lamarr').uncheck()
    await page.getByText('2 selected, $24.00').waitFor()
    await expectGoodLook()
    await page.getByRole('button', { name: 'Approve selected' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve several payouts' })
    await dialog.getByText('The account has no profit: $0.00.').first().waitFor()
    await dialog.getByText('2 payouts, $24.00. Each gets its own entry.').waitFor()
    await expectGoodLook()
    // Another administrator is faster with one of them.
    await admin.patch(`/api/admin/payouts/${trader.id}-a1-p1`, { status: 'rejected', adminNotes: 'Twice the same' })
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('1 approved, 1 failed').waitFor()
    await dialog
      .getByText(/^Failed: ADMIN_ACCESS_KEY rejected this payout on .* Look at it again before you decide\.$/)
      .waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('Select all 1 pending on this page').waitFor()
    expect((await payoutsOf(trader)).map(({ status }) => status)).toEqual(['approved', 'pending', 'rejected'])
    // The figures of all requests lead to them; those of a filtered list are of what it shows.
    await page.goto('/admin/payouts')
    await page.getByRole('link', { name: 'Pending', exact: true }).click()
    await page.waitForURL('**/admin/payouts?status=pending')
  })

  it('show a total only beside the selection that it is of', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Ida Rhodes', ['11.00', '12.00', '13.00'])
    const { page, open, allowStatus } = await site.visit({ as: admin })
    allowStatus(404)
    await open(`/admin/payouts?of=${trader.id}`)
    const chosen = page.getByRole('group', { name: 'Decide several at once' }).getByRole('status')
    await page.getByLabel('Select all 3 pending on this page').check()
    await chosen.getByText('3 selected, $36.00', { exact: true }).waitFor()
    const totals = '**/api/admin/payouts/totals'
    const { isAsked, release } = await hold(page, totals)
    await page.getByLabel('Select the payout of $12.00 to Ida Rhodes').uncheck()
    await isAsked
    await chosen.getByText('2 selected', { exact: true }).waitFor()
    release()
    await chosen.getByText('2 selected, $24.00', { exact: true }).waitFor()
    await page.unroute(totals)
    await page.route(totals, (route) => route.fulfill({ status: 404, json: { message: 'Payout request not found' } }))
    await page.getByLabel('Select the payout of $13.00 to Ida Rhodes').uncheck()
    await chosen.getByText('1 selected (the total could not be loaded)', { exact: true }).waitFor()
  })

  it('need notes to reject but not to approve', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Katherine Johnson', ['70.00', '80.00'])
    const { page, open, expectToast } = await site.visit({ as: admin })
    await open(`/admin/payouts?of=${trader.id}`)
    const request = page.getByRole('row').filter({ hasText: '$80.00' })
    await request.getByRole('button', { name: 'Actions for Katherine Johnson' }).click()
    await page.getByRole('menuitem', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reject payout' })
    const reject = dialog.getByRole('button', { name: 'Reject' })
    await dialog.getByText('IBAN DE02 1203 0000 0000 2020 51').waitFor()
    expect(await reject.isDisabled()).toBe(true)
    await dialog.getByLabel('Admin Notes').fill('   ')
    expect(await reject.isDisabled()).toBe(true)
    await dialog.getByLabel('Admin Notes').fill('Bank details are incomplete')
    await reject.click()
    await expectToast('Payout rejected successfully')
    const rejected = page.getByRole('row').filter({ hasText: '$80.00' })
    await rejected.getByText('Rejected', { exact: true }).waitFor()

    // The present verdict can't be given again; the other one can.
    await rejected.getByRole('button', { name: 'Actions for Katherine Johnson' }).click()
    expect(await page.getByRole('menuitem', { name: 'Reject' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('menuitem', { name: 'Approve' }).click()
    await page.getByRole('dialog', { name: 'Approve payout' }).getByRole('button', { name: 'Approve' }).click()
    await expectToast('Payout approved successfully')
    await rejected.getByText('Approved', { exact: true }).waitFor()
    expect((await payoutsOf(trader)).map(({ status }) => status)).toEqual(['approved', 'pending'])
  })

  it('are made on a phone by a button on each card, and the toast leads to the history', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Joan Clarke', ['90.00', '95.00'])
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin, width: 390 })
    await open(`/admin/payouts?of=${trader.id}`)
    await page.getByRole('button', { name: 'Approve the payout of $90.00 to Joan Clarke' }).waitFor()
    // The filters are behind a button, which says how many are on.
    expect(await page.getByLabel('Status', { exact: true }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Filters and export' }).click()
    await page.getByLabel('Status', { exact: true }).selectOption('Pending')
    await page.getByRole('button', { name: 'Filters and export (1 on)' }).waitFor()
    await expectGoodLook()
    await page.getByRole('button', { name: 'Approve the payout of $90.00 to Joan Clarke' }).click()
    await page.getByRole('dialog', { name: 'Approve payout' }).getByRole('button', { name: 'Approve' }).click()
    await expectToast('Payout approved successfully', '$90.00 to Joan Clarke.')
    await page.getByRole('link', { name: 'Show in history' }).click()
    await page.getByRole('heading', { level: 1, name: 'Joan Clarke' }).waitFor()
    expect((await payoutsOf(trader)).map(({ status }) => status)).toEqual(['pending', 'approved'])
  })

  it('are also made on the tabbed page and appear in its history', async () => {
    const admin = await site.portal.admin()
    await traderWithRequests(site.portal, admin, 'Annie Easley', ['61.00', '62.00'])
    const { page, open, expectToast } = await site.visit({ as: admin })
    await open('/admin?tab=payouts&search=Annie+Easley')
    const pending = page.getByRole('table', { name: 'Pending requests' })
    const history = page.getByRole('table', { name: 'History' })
    await pending.getByRole('row').filter({ hasText: '$61.00' }).getByRole('button', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reject payout' })
    expect(await dialog.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Admin Notes').fill('Name does not match')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await expectToast('Payout rejected successfully')
    await history.getByRole('row').filter({ hasText: '$61.00' }).getByText('Name does not match').waitFor()
    await pending.getByRole('row').filter({ hasText: '$62.00' }).getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog', { name: 'Approve payout' }).getByRole('button', { name: 'Approve' }).click()
    await expectToast('Payout approved successfully')
    await history.getByRole('row').filter({ hasText: '$62.00' }).getByText('Approved', { exact: true }).waitFor()
    await page.getByText('No pending payout requests').waitFor()
    await page.getByRole('heading', { name: 'History' }).waitFor()
  })

  it('by two administrators at once show the slower one the conflict and the result', async () => {
    const [one, two] = await Promise.all([site.portal.admin(), site.portal.admin()])
    await traderWithRequests(site.portal, one, 'Mary Jackson', ['55.00'])
    const [first, second] = await Promise.all([site.visit({ as: one }), site.visit({ as: two })])
    second.allowStatus(409)
    for (const { page, open } of [first, second]) {
      await open('/admin/payouts?search=Mary+Jackson')
      await page.getByRole('button', { name: 'Actions for Mary Jackson' }).click()
      await page.getByRole('menuitem', { name: 'Approve' }).click()
      await page.getByRole('dialog', { name: 'Approve payout' }).waitFor()
    }
    await first.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await first.expectToast('Payout approved successfully')
    await second.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await second.expectToast('Failed to approve payout', 'This payout is already approved')
    await second.page.getByRole('dialog').waitFor({ state: 'detached' })
    await second.page.getByRole('row').filter({ hasText: '$55.00' }).getByText('Approved', { exact: true }).waitFor()
  })

  it('of one administrator are not overruled unseen by another', async () => {
    const [one, two] = await Promise.all([site.portal.admin(), site.portal.admin()])
    const trader = await traderWithRequests(site.portal, one, 'Evelyn Boyd', ['65.00'])
    const { page, open, expectToast, allowStatus } = await site.visit({ as: two })
    allowStatus(409)
    await open('/admin/payouts?search=Evelyn+Boyd')
    const openDialog = async () => {
      await page.getByRole('button', { name: 'Actions for Evelyn Boyd' }).click()
      await page.getByRole('menuitem', { name: 'Reject' }).click()
      await page.getByLabel('Admin Notes').fill('Wrong account')
    }
    await openDialog()
    await one.patch(`/api/admin/payouts/${trader.id}-a1-p1`, { status: 'approved' })
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await expectToast('Failed to reject payout')
    await page
      .getByText(/^ADMIN_ACCESS_KEY approved this payout on .* UTC\. Look at it again before you decide\.$/)
      .waitFor()
    await page.getByRole('row').filter({ hasText: '$65.00' }).getByText('Approved', { exact: true }).waitFor()
    // Having seen it, the second may overrule it.
    await openDialog()
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await expectToast('Payout rejected successfully')
  })

  it('are in a menu that works by keyboard, and show a refusal in the server’s words or by its status', async () => {
    const admin = await site.portal.admin()
    await traderWithRequests(site.portal, admin, 'Dorothy Vaughan', ['45.00'])
    const { page, open, expectToast, allowStatus } = await site.visit({ as: admin })
    allowStatus(500, 502)
    await open('/admin/payouts?search=Dorothy+Vaughan')
    const button = page.getByRole('button', { name: 'Actions for Dorothy Vaughan' })
    // The code of menus comes after the key.
    const code = await hold(page, '**/assets/open-menu-*.js')
    await button.focus()
    await page.keyboard.press('Enter')
    await code.isAsked
    code.release()
    const chosen = (name: string) => page.getByRole('menuitem', { name }).and(page.locator(':focus')).waitFor()
    await chosen('Approve')
    await page.keyboard.press('Escape')
    await button.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await chosen('Approve')
    await page.keyboard.press('ArrowDown')
    await chosen('Reject')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Reject payout' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // Back in the row, so that the next key goes on from there.
    await until(
      () => page.evaluate(() => document.activeElement?.closest('[data-row]') !== null),
      'the focus to be in the row',
    )

    const decide = async (verdict: 'Approve' | 'Reject') => {
      await page.getByRole('button', { name: 'Actions for Dorothy Vaughan' }).click()
      await page.getByRole('menuitem', { name: verdict }).click()
      await page.getByRole('dialog').getByLabel('Admin Notes').fill('A reason')
      await page.getByRole('dialog').getByRole('button', { name: verdict }).click()
    }
    await page.route('**/api/admin/payouts/*', (route) =>
      route.fulfill({ status: 500, json: { message: 'The log is full' } }),
    )
    await decide('Reject')
    await expectToast('Failed to reject payout', 'The log is full')
    // The dialog stays open with the failure and what was written.
    await page.getByRole('dialog').getByText('The log is full').waitFor()
    expect(await page.getByRole('dialog').getByLabel('Admin Notes').inputValue()).toBe('A reason')
    await page.keyboard.press('Escape')
    await page
      .getByRole('alertdialog', { name: 'Discard what you typed?' })
      .getByRole('button', { name: 'Discard' })
      .click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.unroute('**/api/admin/payouts/*')
    await page.route('**/api/admin/payouts/*', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad gateway' }),
    )
    await decide('Approve')
    await expectToast('Failed to approve payout', '502: Bad gateway')
  })

  it('are found, filtered and sorted as the URL says', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Barbara Liskov', ['30.00', '10.00', '20.00'])
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/payouts')
    const shown = async () =>
      (await page.locator('tbody [data-row]').allInnerTexts()).map((text) => /\$[\d.,]+/.exec(text)?.[0])
    const shows = (expected: readonly string[]) =>
      until(async () => JSON.stringify(await shown()) === JSON.stringify(expected), `the amounts ${expected.join()}`)
    await page.getByLabel('Search', { exact: true }).pressSequentially('Barbara Liskov')
    await shows(['$30.00', '$10.00', '$20.00'])
    await page.getByLabel('Order').selectOption('Largest amount')
    await shows(['$30.00', '$20.00', '$10.00'])
    expect(new URL(page.url()).search).toBe('?search=Barbara+Liskov&sort=-amount')
    await page.reload()
    await shows(['$30.00', '$20.00', '$10.00'])
    await page.goBack()
    await shows(['$30.00', '$10.00', '$20.00'])
    await page.getByLabel('Search', { exact: true }).fill(`${trader.id}-a1-p2`)
    await shows(['$10.00'])
    await page.getByLabel('Search', { exact: true }).fill(trader.email)
    await shows(['$30.00', '$10.00', '$20.00'])
    await page.getByLabel('Order').selectOption('Newest first')
    await shows(['$20.00', '$10.00', '$30.00'])
    await page.getByRole('button', { name: 'Amount' }).click()
    await shows(['$10.00', '$20.00', '$30.00'])
    expect(await page.getByRole('columnheader', { name: 'Amount' }).getAttribute('aria-sort')).toBe('ascending')
    await page.getByLabel('Status', { exact: true }).selectOption('Rejected')
    await page.getByText('No payout requests found').waitFor()
  })

  it('lead to payments, recorded by hand from the menu of a row, and found by filters', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Barbara Liskov', ['150.00', '160.00'])
    for (const number of [1, 2])
      await admin.patch(`/api/admin/payouts/${trader.id}-a1-p${number}`, { status: 'approved' })
    const { page, open, expectToast, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: admin })
    await open(`/admin/payouts?of=${trader.id}&payment=open`)
    const rows = page.locator('[data-row]')
    await rows.nth(1).waitFor()
    await page.getByLabel('From Amount').fill('1.555')
    await page.getByText('“1.555” can mean $1.555 or $1,555.00. Please type it with two decimal places').waitFor()
    expect(await rows.count()).toBe(2)
    await page.getByLabel('From Amount').fill('155,00')
    await until(async () => (await rows.count()) === 1, 'the row of 160 dollars')
    await rows.first().getByRole('button', { name: 'Actions for Barbara Liskov' }).click()
    await page.getByRole('menuitem', { name: 'Payment and Hold' }).click()
    const dialog = page.getByRole('dialog', { name: 'Payment and Hold' })
    await dialog.getByText('Not checked').waitFor()
    await expectGoodLook()
    await dialog.getByLabel('What happened').selectOption('Put it on hold')
    expect(await dialog.getByRole('button', { name: 'Record' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Reason').fill('Asks the bank')
    await dialog.getByRole('button', { name: 'Record' }).click()
    await expectToast('Payout on hold')
    await rows.first().getByText('On hold').waitFor()
    const record = async (what: string) => {
      await rows.first().getByRole('button', { name: 'Actions for Barbara Liskov' }).click()
      await page.getByRole('menuitem', { name: 'Payment and Hold' }).click()
      await dialog.getByLabel('What happened').selectOption(what)
    }
    await record('Release the hold')
    await dialog.getByRole('button', { name: 'Record' }).click()
    await rows.first().getByText('On hold').waitFor({ state: 'detached' })
    await record('It was paid by hand')
    await dialog.getByLabel('Reference').fill('wire 7')
    await dialog.getByRole('button', { name: 'Record' }).click()
    await expectToast('Payment: Paid')
    await page.getByText('No payout requests found').waitFor()
    await open(`/admin/payouts?of=${trader.id}&payment=paid`)
    await rows.first().getByText('Paid', { exact: true }).waitFor()
    await expectGoodLook()
    await expectNoSidewaysScroll(320, 390)
    expect(await payoutsOf(trader)).toMatchObject([{ payment: { state: 'paid', reference: 'wire 7' } }, {}])
  })

  it('follow terms that staff take from a programme', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Annie Easley', [])
    await admin.patch(`/api/admin/accounts/${trader.id}-a1`, { balance: '104000.00' })
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open(`/admin/users?user=${trader.id}`)
    const section = page.getByRole('region', { name: 'Payout terms' })
    await section.getByText('None: staff decide any amount.').waitFor()
    await section.getByRole('button', { name: 'Edit payout terms' }).click()
    const dialog = page.getByRole('dialog', { name: 'Payout Terms' })
    await dialog.getByText('The account has no terms.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Take Terms Away' }).isDisabled()).toBe(true)
    const programme = dialog.getByLabel('Programme')
    const presets = programme.locator('option', { hasText: 'Two-Step' })
    await presets.first().waitFor({ state: 'attached' })
    await programme.selectOption((await presets.last().getAttribute('value')) ?? '')
    await dialog.getByRole('region', { name: 'Terms in words' }).waitFor()
    await dialog.getByText('They begin now with the balance of $104,000.00', { exact: false }).waitFor()
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Set Terms' }).click()
    await expectToast('Payout terms updated')
    await until(
      async () => (await site.portal.events(`account-${trader.id}-a1`)).at(-1)?.type === 'TermsSet',
      'the terms to be set',
    )
    const [balance, terms] = (await site.portal.events(`account-${trader.id}-a1`)).slice(-2)
    await section.getByText("Trader's share").waitFor()
    for (const event of [balance, terms])
      await section.getByRole('link', { name: `#${Number(event?.position)}` }).waitFor()
    await section.getByText('Available now').waitFor()
    await expectGoodLook()
  })
})
