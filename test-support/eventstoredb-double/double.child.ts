import { EventLog } from './log.ts'
import { serve } from './server.ts'

// The double as a process of its own that tests can kill. Its log survives in the file:
// node --import tsx double.child.ts PORT FILE
const [port = '', path = ''] = process.argv.slice(2)
await serve(new EventLog(path), undefined, Number(port))
