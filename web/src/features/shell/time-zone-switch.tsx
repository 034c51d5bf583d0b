import { timeZone } from '@/time-zone.ts'
import { Button } from '@/ui/button.tsx'
import { useStore } from '@/use-store.ts'

/** Switches all times between UTC and local time; the choice is stored. */
export function TimeZoneSwitch() {
  const zone = useStore(timeZone)
  const [shown, name] =
    zone === 'utc' ? ['UTC', 'UTC times. Switch to local time'] : ['Local', 'Local times. Switch to UTC']
  return (
    <Button
      look="quiet"
      aria-label={name}
      title={name}
      className="px-2! text-12! text-muted!"
      onClick={() => timeZone.set(zone === 'utc' ? 'local' : 'utc')}
    >
      {shown}
    </Button>
  )
}
