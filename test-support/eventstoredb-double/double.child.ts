import { openEventLog } from './log.ts'
import { serve } from './server.ts'

// The double as a process of its own, so that it can be killed: node --import tsx double.child.ts PORT FILE. Its log is
// in the file, and is there again when it is started again.
const [port = '', path = ''] = process.argv.slice(2)
await serve(openEventLog(path), { featuresToFail: 0 }, { port: Number(port) })
