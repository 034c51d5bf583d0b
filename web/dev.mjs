// Reloads server and web during development: the watched server has its own port, and the web server of the build, in
// front of it, forwards requests below /api.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const port = Number(process.env.PORT ?? 3000)
const behind = port + 1
const root = fileURLToPath(new URL('..', import.meta.url))
const address = `http://localhost:${port}`

const web = await createServer({
  configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)),
  server: {
    port,
    strictPort: true,
    proxy: {
      '/api': `http://localhost:${behind}`,
      '/healthz': `http://localhost:${behind}`,
      '/readyz': `http://localhost:${behind}`,
    },
  },
})
try {
  await web.listen()
} catch (error) {
  process.stderr.write(`PORT: ${error.message}; choose another one\n`)
  process.exit(1)
}
const server = spawn(
  process.execPath,
  ['--import', 'tsx', '--watch', '--watch-preserve-output', 'services/cli/cli.ts', 'start'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PORT: String(behind), PUBLIC_URL: process.env.PUBLIC_URL ?? address },
  },
)
process.stdout.write(`\nWork on Proofdesk at ${address}\n`)

const stop = async () => {
  server.kill()
  await web.close()
  process.exit()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
server.once('exit', stop)
