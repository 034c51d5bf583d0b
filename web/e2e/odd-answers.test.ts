import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeSite } from './kit.ts'
import { tradingAccount } from './trading.ts'

describeSite('a page with odd data', (site) => {
  it('shows what it can: Unknown, N/A, $0.00 and all other rows', async () => {
    const { trader, admin } = await tradingAccount(site.portal, { payoutEnabled: true })
    for (const amount of ['10.00', '20.00'])
      await trader.post('/api/user/payouts', { amount, paymentMethod: 'bank', paymentDetails: '' })
    const { page, open } = await site.visit({ as: trader })
    const doctor = async (path: string, change: (row: Readonly<Record<string, unknown>>, index: number) => unknown) =>
      page.route(`**${path}`, async (route) => {
        const response = await route.fetch()
        const answer = z
          .union([z.array(z.record(z.string(), z.unknown())), z.record(z.string(), z.unknown())])
          .parse(await response.json())
        await route.fulfill({ response, json: Array.isArray(answer) ? answer.map(change) : change(answer, 0) })
      })
    await doctor('/api/user/account', (account) => ({
      ...account,
      status: 'suspended',
      balance: 'lots',
      stamps: 'none',
      leverage: 100,
    }))
    await doctor('/api/user/account/history', (history) => ({
      ...history,
      points: [{ at: 'yesterday' }, 7],
      markers: 'none',
    }))
    await doctor('/api/user/payouts', (payout, index) =>
      index === 0 ? { ...payout, status: 'on hold', amount: {}, createdAt: 'yesterday', stamps: null } : payout,
    )

    await open('/')
    await page.getByText('Unknown', { exact: true }).waitFor()
    await page.getByText('$0.00', { exact: true }).first().waitFor()
    await page.getByText('Your trading performance will be displayed here when available').waitFor()
    await open('/payouts')
    const [odd, sound] = [
      page.getByRole('row').filter({ hasText: 'on hold' }),
      page.getByRole('row').filter({ hasText: '$10.00' }),
    ]
    await odd.getByText('N/A', { exact: true }).waitFor()
    await odd.getByText('$0.00', { exact: true }).waitFor()
    await sound.getByText('Pending', { exact: true }).waitFor()

    const desk = await site.visit({ as: admin })
    await desk.page.route('**/api/admin/users?*', async (route) => {
      const response = await route.fetch()
      const [user] = z.array(z.record(z.string(), z.unknown())).parse(await response.json())
      await route.fulfill({
        response,
        json: [
          { ...user, id: 'odd', fullName: 'Odd One', createdAt: 5, tradingAccount: { status: 'frozen' } },
          null,
          user,
        ],
      })
    })
    await desk.open('/admin/users')
    await desk.page.getByRole('row').filter({ hasText: 'Odd One' }).getByText('Unknown', { exact: true }).waitFor()
    await desk.page.getByRole('row').filter({ hasText: 'Ada Lovelace' }).getByText('Active', { exact: true }).waitFor()
    await expect.poll(() => desk.page.getByRole('row').count()).toBe(3)
  })
})
