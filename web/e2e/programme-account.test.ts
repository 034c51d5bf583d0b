import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  publishedProgramme,
  tradeAt,
  watchedTerms,
  watchedTrader,
} from '#test-support/programme-account.ts'
import { describeSite } from './kit.ts'

const SHOTS = process.env['SHOTS']

describeSite('an account under a programme', (site) => {
  it('shots', async () => {
    const admin = await site.portal.admin()
    const programme = await publishedProgramme(admin, watchedTerms())
    const { trader, observe } = await watchedTrader(site.portal, admin, programme, { fullName: 'Grace Hopper' })
    const day = (n: number) => new Date(Date.now() - n * 86_400_000).toISOString()
    const answer = await observe([
      ...Array.from({ length: 30 }, (_, n) => tradeAt(`T${100 + n}`, day(n * 1.3), n % 3 === 0 ? '-210.00' : '260.50')),
    ])
    expect(answer.status).toBe(200)
    const { page, open } = await site.visit({ as: trader })
    if (SHOTS) {
      mkdirSync(SHOTS, { recursive: true })
      for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [390, 'dark']] as const) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme: scheme })
        for (const tab of ['', '?tab=performance']) {
          await open(`/${tab}`)
          await page.getByText(tab ? 'Trading days' : 'Nearest limit').first().waitFor()
          await page.waitForTimeout(800)
          await page.screenshot({ path: `${SHOTS}/${tab ? 'performance' : 'overview'}-${width}-${scheme}.png`, fullPage: true })
        }
      }
    }
  })
})
