/** A refusal of the stand-in: the status and the text that go out as `{"error"}`. */
export class QstashRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = "QstashRefusal"
    this.status = status
  }
}
