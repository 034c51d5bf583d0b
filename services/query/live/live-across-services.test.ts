import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { browser } from '#test-support/http-client.ts'
import { newEmail, registration } from '#test-support/portal.ts'
import { ADMIN_KEY, buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { until } from '#test-support/until.ts'

beforeAll(buildProgram, 600_000)

it('announces a change only once another process can read it', async () => {
  const dataDir = temporaryFolder()
  const command = await startProgram({ dataDir, service: 'command' })
  const [worker, query] = await Promise.all([
    startProgram({ dataDir, service: 'worker' }),
    startProgram({ dataDir, service: 'query' }),
  ])
  const across = () => browser((method) => (method === 'GET' ? query : command).url)
  const [admin, trader] = [across(), across()]
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  const { id } = z
    .object({ id: z.string() })
    .parse((await trader.post('/api/register', { ...registration, email: newEmail() })).body)

  // Without the position of the change, so that only the announcement says when to read.
  const cookie = [...trader.cookies]
    .filter(([name]) => !name.includes('position'))
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  const left = new AbortController()
  const response = await fetch(new URL('/api/live', query.url), { headers: { cookie }, signal: left.signal })
  let text = ''
  const hear = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  }
  hear().catch(() => {})
  await until(async () => text.includes('event: ready'), 'the stream to begin')

  for (const balance of ['1.00', '2.00', '3.00', '4.00', '5.00']) {
    const before = text.length
    await admin.patch(`/api/admin/user/${id}/account`, { balance })
    await until(async () => text.slice(before).includes('"accounts"'), 'the account to be announced')
    const account = await fetch(new URL('/api/user/account', query.url), { headers: { cookie } })
    expect(await account.json()).toMatchObject({ balance })
  }

  left.abort()
  expect(await Promise.all([query.stop(), worker.stop(), command.stop()])).toEqual([0, 0, 0])
})
