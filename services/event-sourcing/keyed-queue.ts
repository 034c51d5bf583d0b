/** Runs works with the same name one after the other, each as soon as the one before has ended, however it did. */
export function createKeyedQueue() {
  const last = new Map<string, Promise<unknown>>()
  return <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name)
    const mine = before ? before.then(work, work) : work()
    last.set(name, mine)
    const leave = () => {
      if (last.get(name) === mine) last.delete(name)
    }
    mine.then(leave, leave)
    return mine
  }
}
