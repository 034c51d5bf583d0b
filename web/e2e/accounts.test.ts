import { expect, it } from 'vitest'
import { z } from 'zod'
import { OpenedAccount } from '#services/trading/accounts/account-change-api.ts'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { read } from '#test-support/http-calls.ts'
import { describeSite, hold, isCramped, openNavigation } from './kit.ts'

/** No two accounts of a server have the same login. */
let logins = 60_000_000
const nextLogin = () => String(++logins)

/** The screens of a trader, with their headings. */
const screens = [
  ['/', 'Dashboard'],
  ['/settings', 'Settings'],
  ['/payouts', 'Payouts'],
  ['/account-sizes', 'Buy an Account'],
  ['/certificates', 'Certificates'],
  ['/history', 'History'],
] as const

/** Collects, frame by frame, where the content of the page begins. Runs in the page before its own scripts. */
const watchContent = `
  globalThis.beginnings = new Set()
  const look = () => {
    const main = document.querySelector('#main')
    if (main) beginnings.add(main.getBoundingClientRect().top + scrollY)
    requestAnimationFrame(look)
  }
  look()`

describeSite('several accounts of a trader', (site) => {
  /** A trader whose first account is breached. */
  const breachedTrader = async (fullName: string) => {
    const [admin, trader] = [await site.portal.admin(), await site.portal.trader({ fullName })]
    const login = nextLogin()
    const reached = { phase: 'Phase 1', balance: '9400.00', login, server: 'Live', status: 'breached' }
    await admin.patch(`/api/admin/user/${trader.id}/account`, reached)
    return { admin, trader, fullName, login }
  }

  /** The same with an account in Phase 2 and a funded one, whose payouts are enabled. */
  const traderWithThree = async (fullName: string) => {
    const { admin, trader, login } = await breachedTrader(fullName)
    const open = async (changes: object) =>
      read(OpenedAccount, await admin.post(`/api/admin/user/${trader.id}/accounts`, { status: 'active', ...changes }))
        .id
    const [second, third] = [nextLogin(), nextLogin()]
    const phase2 = await open({ phase: 'Phase 2', balance: '20000.00', login: second, server: 'Live' })
    const funded = await open({
      phase: 'Funded',
      balance: '50000.00',
      login: third,
      server: 'Live',
      payoutEnabled: true,
    })
    return { admin, trader, logins: [login, second, third], breached: `${trader.id}-a1`, phase2, funded }
  }

  for (const width of [1280, 390]) {
    it(`are opened by staff, who find the trader by each login: ${width} px`, async () => {
      const { admin, trader, fullName, login: first } = await breachedTrader(`Grace Several ${width}`)
      const { page, open, expectToast, allowStatus, expectNoSidewaysScroll } = await site.visit({ as: admin, width })
      allowStatus(409)
      await open(`/admin/users?user=${trader.id}`)
      const details = page.getByRole('dialog', { name: fullName })
      const accounts = details.getByRole('list', { name: 'Accounts, newest first' })
      await accounts.getByRole('button', { name: /^Account 1 · Phase 1/ }).waitFor()
      const form = page.getByRole('dialog', { name: 'Open Account' })
      const [second, third] = [nextLogin(), nextLogin()]
      const openAccount = async (login: string, phase: string, payouts: string) => {
        await details.getByRole('button', { name: 'Open Account' }).click()
        await form.getByLabel('Account Status').selectOption('Active')
        await form.getByLabel('Phase').fill(phase)
        await form.getByLabel('Payouts Enabled').selectOption(payouts)
        await form.getByLabel('Platform', { exact: true }).selectOption('MT5')
        await form.getByLabel('Login').fill(login)
        await form.getByLabel('Server').fill('Live')
        await form.getByRole('button', { name: 'Open Account' }).click()
      }
      await openAccount(first, 'Phase 2', 'Disabled')
      await form.getByText('Another account has this login on this server').first().waitFor()
      expect(await form.getByLabel('Login').getAttribute('aria-invalid')).toBe('true')
      await form.getByLabel('Login').fill(second)
      await form.getByRole('button', { name: 'Open Account' }).click()
      await form.waitFor({ state: 'detached' })
      await accounts
        .getByRole('button', { name: new RegExp(`Account 2 · Phase 2 · ${second}`), pressed: true })
        .waitFor()
      await openAccount(third, 'Funded', 'Enabled')
      await expectToast('Account opened', `Account 3 of ${fullName}.`)
      await expect
        .poll(() => accounts.getByRole('button').first().innerText())
        .toMatch(/^Account 3 · Funded · \d+\s+MT5\s+Active\s+Current$/)
      await expectNoSidewaysScroll()

      // Another account is shown in one step, with its own forms.
      await accounts.getByRole('button', { name: /^Account 2/ }).click()
      await page.waitForURL(`**account=${trader.id}-a2*`)
      await details.getByRole('button', { name: 'Edit trading platform' }).click()
      const platform = page.getByRole('dialog', { name: 'Edit trading platform' })
      expect(await platform.getByLabel('Login').inputValue()).toBe(second)
      await platform.getByLabel('Login').fill(third)
      await platform.getByRole('button', { name: 'Save Changes' }).click()
      await platform.getByText('Another account has this login on this server').first().waitFor()
      // The platform is changed with the login, which traders see beside each other.
      expect(await platform.getByLabel('Platform', { exact: true }).inputValue()).toBe('mt5')
      await platform.getByLabel('Platform', { exact: true }).selectOption('MT4')
      await platform.getByLabel('Login').fill(second)
      await platform.getByRole('button', { name: 'Save Changes' }).click()
      await platform.waitFor({ state: 'detached' })
      await accounts.getByRole('button', { name: /^Account 2 .*MT4/ }).waitFor()
      const own = await site.visit({ as: trader, width })
      await own.open(`/?tab=details&account=${trader.id}-a2`)
      await own.page.getByText('Install MetaTrader 4.').waitFor()
      expect(await own.page.getByRole('combobox', { name: 'Account', exact: true }).innerText()).toContain(
        `MT4 · ${second}`,
      )

      for (const login of [first, second, third]) {
        await open(`/admin/users?search=${login}`)
        const row = page.getByRole('row').filter({ hasText: fullName })
        await row.getByText('+2', { exact: false }).waitFor()
      }
    })

    it(`are switched by their trader in one step, and stay with the address: ${width} px`, async () => {
      const { trader, breached, funded } = await traderWithThree(`Hanna Several ${width}`)
      const { page, open, expectNoSidewaysScroll } = await site.visit({ as: trader, width })
      await open('/')
      const switcher = page.getByRole('combobox', { name: 'Account', exact: true })
      await switcher.waitFor()
      expect(await switcher.inputValue()).toBe(funded)
      await page.getByText('$50,000.00', { exact: true }).first().waitFor()
      expect(new URL(page.url()).search).toBe('')
      await expectNoSidewaysScroll()

      await switcher.focus()
      await page.keyboard.press('End')
      await page.waitForURL(`/?account=${breached}`)
      await page.getByRole('heading', { name: 'This account is breached' }).waitFor()
      await page.getByText('$9,400.00', { exact: true }).first().waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'This account is breached' }).waitFor()
      expect(await switcher.inputValue()).toBe(breached)

      // Links keep the account, and so does the address in another window.
      await openNavigation(page)
      await page.getByRole('navigation', { name: 'Trader' }).getByRole('link', { name: 'Payouts' }).click()
      await page.waitForURL(`/payouts?account=${breached}`)
      await page.getByText('Payouts not available').waitFor()
      const shared = await site.visit({ as: trader, width })
      await shared.open(`/payouts?account=${breached}`)
      await shared.page.getByText('Payouts not available').waitFor()

      await switcher.selectOption(funded)
      await page.waitForURL(`/payouts?account=${funded}`)
      await page.getByLabel('Amount').fill('125')
      await page.getByLabel('Payment Method').selectOption('crypto')
      await page.getByRole('button', { name: 'Request Payout' }).click()
      const table = page.getByRole('table', { name: 'Payout history' })
      await table.getByText('$125.00').waitFor()
      const payouts = read(z.array(Payout), await trader.get('/api/user/payouts'))
      expect(payouts.map(({ accountId }) => accountId)).toEqual([funded])

      // Another account's list does not have it; the list of all says whose it is.
      await switcher.selectOption(breached)
      await page.getByText('No payout requests found').waitFor()
      await page.getByRole('link', { name: 'All accounts' }).click()
      await table.getByText(/^Account 3 · Funded/).waitFor()
      await expectNoSidewaysScroll()
    })

    it(`are opened by the links of mails about them: ${width} px`, async () => {
      const { admin, trader, breached, funded } = await traderWithThree(`Nora Several ${width}`)
      await admin.patch(`/api/admin/accounts/${funded}`, { status: 'under-review', reason: 'Trades at the opening' })
      const request = await trader.post(`/api/user/payouts?account=${funded}`, {
        amount: '75.00',
        paymentMethod: 'bank',
      })
      await admin.patch(`/api/admin/payouts/${read(Payout, request).id}`, { status: 'approved' })
      await admin.patch(`/api/admin/accounts/${funded}`, { status: 'breached', reason: 'Lost too much' })
      await site.portal.mailed()
      const mails = await site.portal.mails(trader.email)
      // The first account was breached, too.
      const linkIn = (subject: string) => {
        const texts = mails.flatMap((mail) => (mail.subject?.includes(subject) && mail.text) || [])
        const links = texts.flatMap((text) => text.match(/http\S+account=\S+/g) ?? [])
        const { pathname, search } = new URL(links.find((link) => link.includes(`account=${funded}`)) ?? 'none:')
        return `${pathname}${search}`
      }
      const { page, open } = await site.visit({ as: trader, width })
      const switcher = page.getByRole('combobox', { name: 'Account', exact: true })
      // Now Account 2 is the current one.
      await open(`/payouts?account=${breached}`)
      await open(linkIn('Your payout of $75.00 was approved'))
      await page.getByRole('table', { name: 'Payout history' }).getByText('$75.00').waitFor()
      expect(await switcher.inputValue()).toBe(funded)
      await open(linkIn('was breached'))
      await page.getByRole('region', { name: 'What happened at this moment' }).getByText('Lost too much').waitFor()
      expect(await switcher.inputValue()).toBe(funded)
    })

    it(`are each shown by every screen, which stays where it is once they are known: ${width} px`, async () => {
      const { trader, breached, phase2, funded } = await traderWithThree(`Mia Several ${width}`)
      const { page, open, expectNoSidewaysScroll } = await site.visit({ as: trader, width })
      await page.addInitScript(watchContent)
      const switcher = page.getByRole('combobox', { name: 'Account', exact: true })
      for (const [path, heading] of screens) {
        const { isAsked, release } = await hold(page, '**/api/user/accounts')
        // All that the frame of the page needs, but the accounts.
        const others = ['**/api/user', '**/assets/trader-layout-*.js'].map((part) => page.waitForResponse(part))
        const opened = open(path)
        await Promise.all([isAsked, ...others])
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
        release()
        await opened
        for (const account of [breached, phase2, funded]) {
          await switcher.selectOption(account)
          await page.waitForURL(`${path}?account=${account}`)
          await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
          await expectNoSidewaysScroll()
        }
        expect(await page.evaluate('beginnings.size'), path).toBe(1)
        await page.unroute('**/api/user/accounts')
      }
    })

    it(`have a history of one and of all: ${width} px`, async () => {
      const { admin, trader, breached, funded } = await traderWithThree(`Ida Several ${width}`)
      const { page, open, expectNoSidewaysScroll } = await site.visit({ as: trader, width })
      await open(`/history?account=${breached}`)
      const timeline = page.getByRole('list', { name: 'Timeline, newest first' })
      await timeline.getByText('Account status changed').waitFor()
      expect(await timeline.getByText('Account 3').count()).toBe(0)
      await page.getByRole('link', { name: 'All accounts' }).click()
      await timeline.getByText('Account 3').first().waitFor()
      await expectNoSidewaysScroll()
      const href = await page.getByRole('link', { name: 'Download with proof' }).getAttribute('href')
      expect(href).toBe('/api/user/history/proof')

      // A stamp leads to the history of the account that it is about.
      await open(`/?account=${breached}`)
      await page
        .getByRole('link', { name: /^#\d+ / })
        .first()
        .press('Enter')
      await page.waitForURL(`/history?at=*&account=${breached}`)
      await page.getByRole('region', { name: 'What happened at this moment' }).getByText('Details').waitFor()

      // A link that names no account, such as that of a mail, may be about another account than the current one.
      const breach = read(
        z.array(AuditEvent),
        await trader.get(`/api/user/history?account=${breached}&type=AccountStatusChanged`),
      ).at(-1)
      await open(`/history?at=${breach?.number}`)
      await page.getByText('There is no such moment').waitFor()
      await page.getByRole('link', { name: 'Look in all accounts' }).click()
      await page.getByRole('region', { name: 'What happened at this moment' }).getByText('Account 1').waitFor()

      const audit = await site.visit({ as: admin, width })
      await audit.open(`/admin/audit/${trader.id}`)
      await audit.page.getByRole('link', { name: /^Account 3 · Funded/ }).click()
      await audit.page.waitForURL(`/admin/audit/${funded}`)
      await audit.page.getByRole('link', { name: 'All accounts of this trader' }).waitFor()
      const [download] = await Promise.all([
        audit.page.waitForEvent('download'),
        audit.page.getByRole('link', { name: 'Export with proof' }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(new RegExp(`^account-${funded}-.*\\.json$`))
    })
  }

  it('that are unknown are said to be so, with a way to the current one', async () => {
    const { trader, funded } = await traderWithThree('Jane Several')
    const { page, open, allowStatus, expectGoodLook } = await site.visit({ as: trader })
    allowStatus(404)
    for (const account of ['made-up', 'bob00000-a1']) {
      await open(`/?account=${account}`)
      await page.getByText('You have no such account').waitFor()
    }
    await expectGoodLook()
    await page.getByRole('link', { name: 'Show the current account' }).click()
    await page.waitForURL('/')
    expect(await page.getByRole('combobox', { name: 'Account', exact: true }).inputValue()).toBe(funded)
  })

  for (const width of [1280, 390])
    it(`get entries that staff book, with a reference and a reason: ${width} px`, async () => {
      const [admin, trader] = [await site.portal.admin(), await site.portal.trader({ fullName: `Fee Payer ${width}` })]
      await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '10000.00' })
      const { page, open, expectToast, expectGoodLook, allowStatus } = await site.visit({
        as: admin,
        width,
      })
      allowStatus(400)
      await open(`/admin/users?user=${trader.id}`)
      const details = page.getByRole('dialog', { name: `Fee Payer ${width}` })
      await details.getByRole('button', { name: 'Book Entry' }).click()
      const form = page.getByRole('dialog', { name: 'Book Entry' })
      await form.getByLabel('Kind').selectOption('Fee')
      await form.getByLabel('Amount (USD)').fill('25')
      await form.getByLabel('Reference').fill('swap 1042')
      await form.getByLabel('Reason').fill('Swaps of October')
      await form.getByRole('button', { name: 'Book Entry' }).click()
      await form.getByText('A fee takes money: please enter an amount below 0').waitFor()
      await expectGoodLook()
      await form.getByLabel('Amount (USD)').fill('-25')
      await form.getByRole('button', { name: 'Book Entry' }).click()
      await expectToast('Entry booked', `Account 1 of Fee Payer ${width} has a balance of $9,975.00.`)
      await details.getByRole('button', { name: 'Ledger' }).click()
      const ledger = page.getByRole('dialog', { name: 'Ledger of Account 1' })
      await ledger.getByText('Swaps of October (swap 1042)').waitFor()
      if (width === 1280 && !isCramped) {
        const head = await ledger.getByRole('columnheader', { name: 'Amount' }).boundingBox()
        const newest = await ledger.getByRole('row').nth(1).boundingBox()
        expect(newest?.y ?? 0).toBeGreaterThanOrEqual((head?.y ?? Infinity) + (head?.height ?? 0) - 1)
      }
      await expectGoodLook()
    })

  it('are closed for a reason, which frees the login, and are marked afterwards', async () => {
    const { admin, trader, logins, phase2 } = await traderWithThree('Kim Several')
    const { page, open, expectToast, expectGoodLook } = await site.visit({ as: admin })
    await open(`/admin/users?user=${trader.id}&account=${phase2}`)
    const details = page.getByRole('dialog', { name: 'Kim Several' })
    await details.getByRole('button', { name: 'Close Account' }).click()
    const form = page.getByRole('dialog', { name: 'Close Account' })
    await form.getByText(/^Account 2 · Phase 2 · \d+ of Kim Several/).waitFor()
    await form.getByRole('button', { name: 'Close Account' }).click()
    await form.getByText('Please say why this account is closed').waitFor()
    await expectGoodLook()
    await form.getByLabel('Reason').fill('Passed, see Account 3')
    await form.getByRole('button', { name: 'Close Account' }).click()
    await expectToast('Account closed', 'Account 2 of Kim Several.')
    await details.getByRole('button', { name: /^Account 2 .*Closed$/ }).waitFor()
    expect(await details.getByRole('button', { name: 'Close Account' }).count()).toBe(0)
    await expectGoodLook()
    const freed = await admin.post(`/api/admin/user/${trader.id}/accounts`, { login: logins[1], server: 'Live' })
    expect(freed.status).toBe(201)

    const own = await site.visit({ as: trader })
    await own.open(`/?account=${phase2}`)
    await own.page.getByText('Closed', { exact: true }).first().waitFor()
    await own.expectGoodLook()
  })

  it('are named beside each payout, and for a certificate that is uploaded', async () => {
    const { admin, trader, funded, breached } = await traderWithThree('Lea Several')
    await trader.post(`/api/user/payouts?account=${funded}`, { amount: '75.00', paymentMethod: 'crypto' })
    const { page, open, expectGoodLook } = await site.visit({ as: admin })
    await open(`/admin/payouts?of=${trader.id}&ofAccount=${funded}`)
    await page.getByText('Only payouts of Lea Several, Account 3').waitFor()
    const row = page.getByRole('row').filter({ hasText: '$75.00' })
    await row.getByText(/^Account 3 · Funded/).waitFor()
    await row.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Payout request' })
    await dialog.getByText(/^Account 3 · Funded/).waitFor()
    await expectGoodLook()
    await open(`/admin/payouts?of=${trader.id}&ofAccount=${breached}`)
    await page.getByText('No payout requests found').waitFor()

    await open(`/admin/users?user=${trader.id}&form=certificate&account=${breached}`)
    const form = page.getByRole('dialog', { name: 'Upload Certificate' })
    await form.getByLabel('Certificate Name').fill('Phase 1 tried')
    expect(await form.getByLabel('Account').inputValue()).toBe('')
    await form
      .getByLabel('Certificate PDF')
      .setInputFiles({ name: 'c.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n%end') })
    await form.getByRole('button', { name: 'Upload' }).click()
    await form.getByText('Please choose the account').last().waitFor()
    await form.getByLabel('Account').selectOption(breached)
    await form.getByRole('button', { name: 'Upload' }).click()
    await page
      .getByRole('dialog', { name: 'Lea Several' })
      .getByText(/^Account 1 · Issued/)
      .waitFor()
    const { body } = await trader.get(`/api/user/certificates?account=${breached}`)
    expect(z.array(z.object({ name: z.string() })).parse(body)).toEqual([{ name: 'Phase 1 tried' }])
    // The present account has none, and says where it is.
    const own = await site.visit({ as: trader })
    await own.open('/certificates')
    await own.page.getByText('1 certificate of your other accounts', { exact: false }).waitFor()
    await own.page.getByRole('link', { name: 'All accounts' }).click()
    await own.page.getByText('Phase 1 tried').waitFor()
  })
})
