import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '#test-support/until.ts'
import { createUsers, traderWithRequests } from './admin-people.ts'
import { describeSite, openFilters, type Visit } from './kit.ts'

/** Every change that a page sends to the server, in order. */
function sentBy({ page }: Visit): { method: string; path: string; body: unknown }[] {
  const sent: { method: string; path: string; body: unknown }[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET')
      sent.push({ method: request.method(), path: new URL(request.url()).pathname, body: request.postDataJSON() })
  })
  return sent
}

const details = z.object({
  fullName: z.string(),
  email: z.string(),
  city: z.string(),
  tradingAccount: z.looseObject({ balance: z.string(), phase: z.string().nullable() }),
})

describeSite('user administration', (site) => {
  const menuOf = async ({ page }: Visit, name: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }

  it('are searched, filtered, sorted and paged by the URL, also after reload and back', async () => {
    const admin = await site.portal.admin()
    const people = await createUsers(
      admin,
      Array.from({ length: 30 }, (_, index) => `Pager ${String(index).padStart(2, '0')}`),
    )
    const visit = await site.visit({ as: admin })
    const { page, open } = visit
    await open('/admin/users')
    const rows = page.locator('tbody [data-row]')
    const first = (name: string) =>
      until(async () => (await rows.first().innerText()).includes(name), `${name} in the first row`)
    await page.getByLabel('Search', { exact: true }).pressSequentially('Pager')
    await page.getByText('25 of 30 users').waitFor()
    const heading = page.getByRole('button', { name: 'Name', exact: true })
    if (await heading.isVisible()) await heading.click()
    else {
      // Cards have no headings.
      await openFilters(page)
      await page.getByLabel('Order', { exact: true }).selectOption('Name, A to Z')
    }
    await first('Pager 00')
    await page.getByRole('button', { name: 'Next page' }).click()
    await first('Pager 25')
    expect(new URL(page.url()).searchParams.get('cursor')).not.toBeNull()
    await page.reload()
    await first('Pager 25')
    await page.getByRole('button', { name: 'Previous page' }).click()
    await first('Pager 00')
    await page.goBack()
    await first('Pager 25')
    await page.getByRole('button', { name: 'First page' }).click()
    await first('Pager 00')
    await page.getByLabel('Rows per page').selectOption('50')
    await page.getByText('30 of 30 users').waitFor()
    // There is no other page to go to.
    await page.getByRole('button', { name: /page$/ }).first().waitFor({ state: 'detached' })

    // Other filters begin at the first page, and the field follows the address.
    const [one] = people
    await page.getByLabel('Search', { exact: true }).fill(one?.email ?? '')
    await page.getByText('1 of 1 users').waitFor()
    await admin.patch(`/api/admin/user/${one?.id}/account`, { status: 'breached', login: '70045001' })
    await page.getByLabel('Search', { exact: true }).fill('70045001')
    await page.getByText('1 of 1 users').waitFor()
    await openFilters(page)
    await page.getByLabel('Account Status').selectOption('Breached')
    await page.getByText('1 of 1 users').waitFor()
    await page.getByLabel('Account Status').selectOption('Active')
    await page.getByText('No users found').waitFor()
    await page.goBack()
    await page.getByText('1 of 1 users').waitFor()
    expect(await page.getByLabel('Account Status').inputValue()).toBe('breached')
    await open('/admin/users?search=Pager+07')
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe('Pager 07')
    await first('Pager 07')
  })

  it('get another status or eligibility from the row menu, which disables the current one', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Maria Mitchell'])
    const visit = await site.visit({ as: admin })
    const { page, open, expectToast, allowStatus } = visit
    allowStatus(500)
    const sent = sentBy(visit)
    await open('/admin/users?search=Maria+Mitchell')
    const row = page.locator('tbody [data-row]')
    await menuOf(visit, 'Maria Mitchell', 'Set Active')
    await expectToast('User status updated')
    await row.getByText('Active', { exact: true }).waitFor()
    // A change whose reason the trader has to learn asks for it.
    await menuOf(visit, 'Maria Mitchell', 'Set Under Review')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Trades of two accounts are alike')
    await dialog.getByRole('button', { name: 'Set Under Review' }).click()
    await expectToast('User status updated')
    await row.getByText('Under Review', { exact: true }).waitFor()
    await menuOf(visit, 'Maria Mitchell', 'Set Breached')
    await dialog.getByLabel('Rule', { exact: true }).selectOption('Another rule')
    await dialog.getByLabel('Limit', { exact: true }).fill('No copied trades')
    await dialog.getByLabel('Value that broke it').fill('14 trades of 3 March')
    await dialog.getByLabel('When it happened').fill('2026-03-03T14:07')
    await dialog.getByLabel('Reason').fill('They are the trades of another account')
    await dialog.getByRole('button', { name: 'Set Breached' }).click()
    await expectToast('User status updated')
    await row.getByText('Breached', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Actions for Maria Mitchell' }).click()
    expect(await page.getByRole('menuitem', { name: 'Set Breached' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('menuitem', { name: 'Enable Payouts' }).click()
    await expectToast('Payout status updated')
    await row.getByText('Enabled', { exact: true }).waitFor()
    await menuOf(visit, 'Maria Mitchell', 'Disable Payouts')
    await row.getByText('Disabled', { exact: true }).waitFor()
    expect(sent.map(({ body }) => body)).toEqual([
      { status: 'active' },
      { status: 'under-review', reason: 'Trades of two accounts are alike' },
      expect.objectContaining({ status: 'breached', reason: 'They are the trades of another account' }),
      { payoutEnabled: true },
      { payoutEnabled: false },
    ])

    await page.route('**/account', (route) => route.fulfill({ status: 500, json: { message: 'The log is full' } }))
    await menuOf(visit, 'Maria Mitchell', 'Set Active')
    await dialog.getByLabel('Was the breach a mistake?').selectOption('No, it was right and ends now')
    await dialog.getByRole('button', { name: 'Set Active' }).click()
    await expectToast('Failed to update user status', 'The log is full')
    await page.keyboard.press('Escape')
    await page
      .getByRole('alertdialog', { name: 'Discard what you typed?' })
      .getByRole('button', { name: 'Discard' })
      .click()
    await dialog.waitFor({ state: 'detached' })
    await menuOf(visit, 'Maria Mitchell', 'Enable Payouts')
    await expectToast('Failed to update payout status', 'The log is full')
  })

  it('are banned with a reason, marked, and unbanned', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Caroline Herschel'])
    const visit = await site.visit({ as: admin })
    const { page, open, expectToast, allowStatus } = visit
    allowStatus(500)
    await open('/admin/users?search=Caroline+Herschel')
    const row = page.locator('tbody [data-row]')
    await menuOf(visit, 'Caroline Herschel', 'Ban User')
    const dialog = page.getByRole('dialog', { name: 'Ban User' })
    await dialog.getByLabel('Ban Reason').fill('  ')
    await dialog.getByRole('button', { name: 'Ban User' }).click()
    await expectToast('Ban reason required', 'Please provide a reason for banning this user')
    await dialog.getByLabel('Ban Reason').fill('Account sharing')
    await dialog.getByRole('button', { name: 'Ban User' }).click()
    await expectToast('User status updated')
    await dialog.waitFor({ state: 'detached' })
    await row.getByText('Banned', { exact: true }).waitFor()
    await row.focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog', { name: 'Caroline Herschel' })
      .getByText('Account sharing', { exact: true })
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.route('**/ban', (route) => route.fulfill({ status: 500, json: { message: 'The log is full' } }))
    await menuOf(visit, 'Caroline Herschel', 'Unban User')
    await expectToast('Failed to update ban status', 'The log is full')
    await page.unroute('**/ban')
    await menuOf(visit, 'Caroline Herschel', 'Unban User')
    await row.getByText('Banned', { exact: true }).waitFor({ state: 'detached' })
  })

  it('have a menu that closes with reduced motion too', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Annie Cannon'])
    const visit = await site.visit({ as: admin })
    const { page, open } = visit
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open('/admin/users?search=Annie+Cannon')
    await menuOf(visit, 'Annie Cannon', 'Ban User')
    await page.getByRole('dialog', { name: 'Ban User' }).waitFor()
    await page.getByRole('menu', { includeHidden: true }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('show all details in a linked dialog with fresh data', async () => {
    const admin = await site.portal.admin()
    const [person] = await createUsers(admin, ['Hedy Lamarr'])
    const id = person?.id ?? ''
    await admin.patch(`/api/admin/user/${id}/account`, {
      masterPassword: 'Blue-Danube-7',
      login: '50012',
      server: 'Firm-Live',
      profitLoss: '-25.50',
      overallLossLimit: '10% / $1000',
    })
    const visit = await site.visit({ as: admin })
    const { page, expectToast } = visit
    const sent = sentBy(visit)
    let reads = 0
    page.on(
      'request',
      (request) => (reads += request.method() === 'GET' && request.url().endsWith(`/api/admin/user/${id}`) ? 1 : 0),
    )
    await page.goto(`/admin/users?user=${id}`)
    const dialog = page.getByRole('dialog', { name: 'Hedy Lamarr' })
    for (const heading of ['Personal information', 'Account status', 'Trading platform', 'Risk management'])
      await dialog.getByRole('heading', { name: heading }).waitFor()
    for (const text of ['••••••••', '50012', 'Firm-Live', '-$25.50', '10% / $1,000', person?.email ?? ''])
      await dialog.getByText(text, { exact: true }).first().waitFor()

    await dialog.getByRole('region', { name: 'Risk management' }).getByRole('button', { name: 'Edit' }).click()
    const risk = page.getByRole('dialog', { name: 'Edit risk management' })
    await risk.getByLabel('Daily Drawdown Limit').fill('5% / $500')
    await risk.getByLabel('Reason').fill('As agreed by mail')
    await risk.getByRole('button', { name: 'Save Changes' }).click()
    await expectToast('Risk metrics updated')
    await dialog.getByText('5% / $500', { exact: true }).waitFor()

    await dialog.getByRole('region', { name: 'Trading platform' }).getByRole('button', { name: 'Edit' }).click()
    const platform = page.getByRole('dialog', { name: 'Edit trading platform' })
    await platform.getByLabel('Phase').fill('Funded')
    await platform.getByRole('button', { name: 'Save Changes' }).click()
    await expectToast('Trading account updated')
    await dialog.getByText('Funded', { exact: true }).waitFor()
    expect(sent.map(({ body }) => body)).toEqual([
      {
        dailyDrawdownLimit: '5% / $500',
        overallLossLimit: '10% / $1000',
        profitTarget: '',
        reason: 'As agreed by mail',
      },
      { login: '50012', masterPassword: '••••••••', server: 'Firm-Live', phase: 'Funded' },
    ])

    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
    const before = reads
    await page.getByRole('link', { name: 'Hedy Lamarr' }).click()
    await dialog.waitFor()
    await until(async () => reads === before + 1, 'the user to be read again')
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    visit.allowStatus(404)
    await page.goto('/admin/users?user=nobody12345')
    await page.getByText('The user could not be loaded').waitFor()
  })

  it('are edited in two requests; a failed half is reported and retried', async () => {
    const admin = await site.portal.admin()
    const [person] = await createUsers(admin, ['Ada Byron'])
    const id = person?.id ?? ''
    const visit = await site.visit({ as: admin })
    const { page, open, expectToast, allowStatus } = visit
    allowStatus(503)
    const sent = sentBy(visit)
    await open('/admin?search=Ada+Byron')
    await page.getByRole('row').filter({ hasText: 'Ada Byron' }).getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit User' })
    await dialog.getByLabel('Full Name').fill('A')
    await dialog.getByLabel('Email').fill('ada')
    await dialog.getByLabel('Balance').fill('a lot')
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    for (const message of [
      'Full name must be at least 2 characters',
      'Please enter a valid email',
      'Balance must be a valid number',
    ])
      await dialog.getByText(message, { exact: true }).waitFor()
    expect(sent).toEqual([])

    await dialog.getByLabel('Full Name').fill('Ada Lovelace')
    await dialog.getByLabel('Email').fill(person?.email ?? '')
    await dialog.getByLabel('Balance').fill('10500.00')
    await dialog.getByLabel('Payouts Enabled').selectOption('Enabled')
    await page.route('**/account', (route) =>
      route.fulfill({ status: 503, json: { message: 'The event log is away' } }),
    )
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectToast('Update failed', 'The event log is away')
    await dialog.getByText('The personal information is saved, the trading account is not.').waitFor()
    await page.unroute('**/account')
    await dialog.getByRole('button', { name: 'Save Changes' }).click()
    await expectToast('User updated', 'Ada Lovelace.')
    await dialog.waitFor({ state: 'detached' })
    const user = {
      method: 'PATCH',
      path: `/api/admin/user/${id}`,
      body: { fullName: 'Ada Lovelace', email: person?.email },
    }
    const account = {
      method: 'PATCH',
      path: `/api/admin/user/${id}/account`,
      body: { balance: '10500.00', payoutEnabled: true },
    }
    expect(sent).toEqual([user, account, user, account])
    expect(details.parse((await admin.get(`/api/admin/user/${id}`)).body)).toMatchObject({
      fullName: 'Ada Lovelace',
      tradingAccount: { balance: '10500.00', payoutEnabled: true },
    })
  })

  it('are added with account values; a retry sends only the missing half', async () => {
    const admin = await site.portal.admin()
    const visit = await site.visit({ as: admin })
    const { page, open, expectToast, allowStatus } = visit
    allowStatus(409, 503)
    const sent = sentBy(visit)
    await open('/admin')
    await page.getByRole('button', { name: 'Add User' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add User' })
    // Where one begins with a programme is said before a balance and limits are asked for.
    await dialog.getByText('press Enrol in the details of the new user', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Add User' }).click()
    await dialog.getByText('Full name must be at least 2 characters', { exact: true }).waitFor()
    await dialog.getByText('Please enter a valid email', { exact: true }).waitFor()
    await dialog.getByLabel('Full Name').fill('Emmy Noether')
    await dialog.getByLabel('Email').fill('emmy.noether@example.com')
    await dialog.getByLabel('Balance').fill('25000')
    await dialog.getByLabel('Phase').fill('Phase 1')
    await page.route('**/account', (route) =>
      route.fulfill({ status: 503, json: { message: 'The event log is away' } }),
    )
    await dialog.getByRole('button', { name: 'Add User' }).click()
    await expectToast('Create failed', 'The event log is away')
    await dialog.getByText('The user was created, but the trading account is not saved yet.').waitFor()
    await page.unroute('**/account')
    await dialog.getByRole('button', { name: 'Save the account' }).click()
    await expectToast('User created')
    expect(sent.map(({ method, path }) => `${method} ${path.replace(/user\/\w+/, 'user/:id')}`)).toEqual([
      'POST /api/admin/users',
      'POST /api/admin/user/:id/account',
      'POST /api/admin/user/:id/account',
    ])
    expect(sent[0]?.body).toEqual({ fullName: 'Emmy Noether', email: 'emmy.noether@example.com' })
    const row = page.getByRole('row').filter({ hasText: 'Emmy Noether' })
    await row.waitFor()

    await page.getByRole('button', { name: 'Add User' }).click()
    await dialog.getByLabel('Full Name').fill('Emmy Again')
    await dialog.getByLabel('Email').fill('emmy.noether@example.com')
    await dialog.getByRole('button', { name: 'Add User' }).click()
    await page
      .getByRole('region', { name: /Notification/ })
      .getByText('Create failed', { exact: true })
      .waitFor()
    await until(
      async () => (await dialog.getByLabel('Email').getAttribute('aria-invalid')) === 'true',
      'the email to be marked',
    )
  })

  it('are deleted after a confirmation that names the person', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Jean Bartik'])
    const { page, open, expectToast, allowStatus } = await site.visit({ as: admin })
    allowStatus(500)
    await open('/admin?search=Jean+Bartik')
    await page.getByRole('row').filter({ hasText: 'Jean Bartik' }).getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete Jean Bartik' })
    await question
      .getByText('Are you sure you want to delete this user? This action cannot be undone.', { exact: true })
      .waitFor()
    await page.route('**/api/admin/user/*', (route) => route.fulfill({ status: 500, json: {} }))
    await question.getByRole('button', { name: 'Delete' }).click()
    await expectToast('Delete failed', 'Failed to delete user')
    await page.unroute('**/api/admin/user/*')
    await question.getByRole('button', { name: 'Delete' }).click()
    await expectToast('User deleted', 'Jean Bartik: what is personal is erased.')
    await page.getByText('No users found').waitFor()
  })

  it('are deleted only after what the firm owes them was said', async () => {
    const admin = await site.portal.admin()
    const trader = await traderWithRequests(site.portal, admin, 'Frances Spence', ['150.00', '160.00', '170.00'])
    for (const [number, state] of [
      [1, 'failed'],
      [2, 'paid'],
    ] as const) {
      const payout = `/api/admin/payouts/${trader.id}-a1-p${number}`
      await admin.patch(payout, { status: 'approved' })
      await admin.patch(`${payout}/payment`, { state: 'sent', reference: `R${number}` })
      await admin.patch(`${payout}/payment`, { state, reference: `R${number}`, reason: 'AC04' })
    }
    const { page, open } = await site.visit({ as: admin })
    await open('/admin?search=Frances+Spence')
    await page.getByRole('row').filter({ hasText: 'Frances Spence' }).getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('alertdialog', { name: 'Delete Frances Spence' })
      .getByText(
        'The firm still owes $150.00 (1 payment), with 1 request of $170.00 waiting for a verdict. All of it is cancelled.',
      )
      .waitFor()
  })

  it('are downloaded as CSV, filtered as shown', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Csv One', 'Csv Two', 'Somebody Else'])
    const { page, open } = await site.visit({ as: admin })
    await open('/admin/users?search=Csv&sort=fullName')
    await page.getByText('2 of 2 users').waitFor()
    await openFilters(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/)
    const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
    expect(lines).toHaveLength(3)
    expect(lines[1]).toContain('Csv One')
    expect(lines[2]).toContain('Csv Two')
  })
})
