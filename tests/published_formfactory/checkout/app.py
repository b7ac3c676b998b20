"""Benchmark server: one route per form; submissions are appended to submission/ID.json."""

import json
from datetime import datetime
from pathlib import Path

from flask import Flask, jsonify, render_template, request

app = Flask(__name__)
SUBMISSION_DIR = Path(__file__).parent / "submission"

GRANT_FIELDS = [
    {"name": "title", "label": "Project Title", "type": "text", "required": True},
    {"name": "pi", "label": "Principal Investigator", "type": "text", "required": True},
    {"name": "institution", "label": "Institution", "type": "text", "required": True},
    {"name": "amount", "label": "Requested Amount (USD)", "type": "number", "step": "0.01", "required": True},
    {"name": "duration", "label": "Project Duration (months)", "type": "number", "required": True},
    {"name": "abstract", "label": "Research Abstract", "type": "textarea", "required": True},
]
DEPARTMENTS = ["Accounting", "Human Resources", "Logistics", "Marketing", "Research"]


def save_submission(form_id):
    """Append the posted values to the form's file."""
    entry = {}
    for name in request.form:
        values = request.form.getlist(name)
        entry[name] = values if len(values) > 1 else values[0]
    for name, upload in request.files.items():
        entry[name] = upload.filename
    entry["submission_time"] = datetime.now().strftime("%Y-%m-%d %H:%M:%S")

    SUBMISSION_DIR.mkdir(exist_ok=True)
    path = SUBMISSION_DIR / f"{form_id}.json"
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    path.write_text(json.dumps([*entries, entry], indent=4, ensure_ascii=False), encoding="utf-8")
    return jsonify({"status": "success", "message": "Form submitted successfully", "data": entry})


@app.route("/form-config")
def form_config():
    return jsonify({"title": "Research Grant Application", "fields": GRANT_FIELDS})


@app.route("/academic-research/grant-application", methods=["GET", "POST"])
def grant_application():
    return save_submission("A12") if request.method == "POST" else render_template("A12.html")


@app.route("/academic-research/student-registration", methods=["GET", "POST"])
@app.route("/academic-research/scholarship-application", methods=["GET", "POST"])
def scholarship_application():
    if request.method == "POST":
        return save_submission("A13")
    kind = "Student Registration" if request.path.endswith("registration") else "Scholarship Application"
    return render_template("A13.html", page_title=kind)


@app.route("/academic-research/course-registration", methods=["GET", "POST"])
def course_registration():
    return save_submission("A15") if request.method == "POST" else render_template("A15.html")


@app.route("/professional-business/rental-application", methods=["GET", "POST"])
def rental_application():
    return save_submission("B12") if request.method == "POST" else render_template("B12.html")


@app.route("/arts-creative/exhibition-submission", methods=["GET"])
def exhibition_submission():
    return render_template("C11.html")


@app.route("/arts-creative/exhibition-submission", methods=["POST"])
def submit_exhibition():
    return save_submission("C11")


@app.route("/tech-software/bug-report", methods=["GET", "POST"])
def bug_report():
    return save_submission("D11") if request.method == "POST" else render_template("D11.html")


@app.route("/tech-software/support-request", methods=["GET", "POST"])
def support_request():
    if request.method == "POST":
        return save_submission("D12")
    return render_template("D12.html", departments=DEPARTMENTS)


@app.route("/finance-banking/account-opening", methods=["GET", "POST"])
def account_opening():
    return save_submission("E12") if request.method == "POST" else render_template("E12.html")


@app.route("/healthcare-medical/insurance-claim", methods=["GET", "POST"])
def insurance_claim():
    return save_submission("F13") if request.method == "POST" else render_template("F13.html")


@app.route("/legal-compliance/nda-submission", methods=["GET", "POST"])
def nda_submission():
    return save_submission("G11") if request.method == "POST" else render_template("G11.html")


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=5000)
