import { createServer } from 'node:http'
import { pino } from 'pino'
import { z } from 'zod'
import { portOf } from '../test-support/servers/ports.ts'
import { createApp, registerErrorHandling } from '../services/http/express-app.ts'
import { inputOf, say } from './children.ts'

/** Our express app with all it does for every request, answering constants. */

const { answers } = inputOf(z.object({ answers: z.array(z.object({ path: z.string(), body: z.unknown() })) }))

const log = pino({ level: 'warn' }, pino.destination(2))
const app = createApp({ log, publicUrl: new URL('http://localhost'), trustedProxies: 0 })
for (const { path, body } of answers) app.get(path, (_request, response) => void response.json(body))
registerErrorHandling(app, log)
const server = createServer(app).listen(0, '127.0.0.1', () => {
  say({ url: `http://127.0.0.1:${portOf(server)}` })
})
